// SPDX-License-Identifier: Apache-2.0
// Why the first steps are slower than steady ones, and why some later steps are slow again.
#pragma once

#include <vector>

#include "host/analysis/facts/steady_state.hpp"
#include "host/analysis/facts/step.hpp"
#include "host/analysis/facts/warm_up.hpp"

namespace strata::analysis {

struct Recording;

// For `steps` and their steady state, from the rows of `run`.
WarmUp explain_warm_up(const std::vector<StepFact>& steps, const SteadyState& state, const Recording& run);

}  // namespace strata::analysis
