// SPDX-License-Identifier: Apache-2.0
// Checks that distinguish a correct table of categories from a wrong one.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "host/analysis/attribution/attribution.hpp"
#include "tests/analysis/training_run.hpp"

namespace strata::analysis::testing {

// The names of the checks that `run` fails when it is analysed by `method`:
//   labels     a block's category, kind or deciding rule differs from the expected one
//   layers     a block's layer differs
//   sums       the categories do not add up to what is allocated, at some event
//   unknown    bytes are Unknown at some event, though no expected block is
//   owners     a long-lived block of a registered run was classified by lifetime instead of owner
//   truth      lifetimes and saved tensors disagree, in category or in kind
//   total      a block is left without any rule
std::set<std::string> failed_checks(const TrainingRun& run, const Method& method = {});

// Every run used by the checks, the host's first.
const std::vector<TrainingRun>& runs_to_check();

}  // namespace strata::analysis::testing
