// SPDX-License-Identifier: Apache-2.0
// How quickly the steps of the window passed.
#pragma once

#include <cstdint>
#include <vector>

#include "host/analysis/facts/step.hpp"

namespace strata::analysis {

// Of the steps first_step to last_step, both included.
Pace window_pace(const std::vector<StepFact>& steps, std::int64_t first_step, std::int64_t last_step);

}  // namespace strata::analysis
