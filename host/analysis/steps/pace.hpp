// SPDX-License-Identifier: Apache-2.0
// The speed of the window's steps.
#pragma once

#include <cstdint>
#include <vector>

#include "host/analysis/facts/step.hpp"

namespace strata::analysis {

// For the steps first_step to last_step, both inclusive.
Pace window_pace(const std::vector<StepFact>& steps, std::int64_t first_step, std::int64_t last_step);

}  // namespace strata::analysis
