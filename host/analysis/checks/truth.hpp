// SPDX-License-Identifier: Apache-2.0
// How far the rules can be trusted: labels found from lifetimes alone, against what autograd itself said it
// saved (runs recorded with `trace.saved_tensors: true`).
#pragma once

#include <vector>

#include "host/analysis/attribution/blocks.hpp"
#include "host/analysis/attribution/evidence.hpp"
#include "host/analysis/attribution/ops.hpp"
#include "host/analysis/attribution/rules.hpp"
#include "host/analysis/facts/checks.hpp"

namespace strata::analysis {

// The truth: what autograd saved is an activation of the kind `saved` or `recompute`, and what it did not
// save is not of these kinds. Against it: `rules` without those that look at what was saved. `evidence` is in
// the order of the table.
Confusion compare_with_truth(const BlockTable& table, const OpTable& ops, const EvidenceGatherer& gatherer,
                             const RuleTable& rules = standard_rules());

}  // namespace strata::analysis
