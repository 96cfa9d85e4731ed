// SPDX-License-Identifier: Apache-2.0
// Measures the accuracy of the rules: labels found only from lifetimes, compared with the tensors that
// autograd itself reported as saved (runs recorded with `trace.saved_tensors: true`).
#pragma once

#include <vector>

#include "host/analysis/attribution/blocks.hpp"
#include "host/analysis/attribution/evidence.hpp"
#include "host/analysis/attribution/ops.hpp"
#include "host/analysis/attribution/rules.hpp"
#include "host/analysis/facts/checks.hpp"

namespace strata::analysis {

// The truth: a tensor saved by autograd is an activation of the kind `saved` or `recompute`; one that was not
// saved is neither. It is compared with `rules` without those that use saved tensors. `evidence` is in the
// order of the table.
Confusion compare_with_truth(const BlockTable& table, const OpTable& ops, const EvidenceGatherer& gatherer,
                             const RuleTable& rules = standard_rules());

}  // namespace strata::analysis
