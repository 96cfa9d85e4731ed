// SPDX-License-Identifier: Apache-2.0
// Labels blocks: category, kind, reason, owner, op, layers.
#pragma once

#include <vector>

#include "host/analysis/attribution/blocks.hpp"
#include "host/analysis/attribution/evidence.hpp"
#include "host/analysis/attribution/layers.hpp"
#include "host/analysis/attribution/ops.hpp"
#include "host/analysis/attribution/rules.hpp"
#include "host/analysis/attribution/step_structure.hpp"
#include "host/analysis/facts/block.hpp"
#include "host/analysis/recording/texts.hpp"

namespace strata::analysis {

// How labels are found. Tests pass deliberately broken rules.
struct Method {
  RuleTable rules = standard_rules();
  Layers::KeyFunction forward_key = analysis::forward_key;
};

// In the order of the table, like the evidence. Composed names ("layers.0.norm.weight.exp_avg") are added to
// `texts`, tensor forms to `forms`.
std::vector<Block> attribute(const BlockTable& table, const OpTable& ops, const StepStructure& structure,
                             const EvidenceGatherer& evidence, const Layers& layers, const Method& method,
                             Texts& texts, TensorForms& forms);

}  // namespace strata::analysis
