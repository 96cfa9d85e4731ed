// SPDX-License-Identifier: Apache-2.0
// From which step on a run's steps take as long as they will, and what the steps before it took more.
//
// After Barrett et al., "Virtual Machine Warmup Blows Hot and Cold" (OOPSLA 2017): change-points of mean and
// variance, then the last segment with those before it that are as fast.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "host/analysis/facts/steady_state.hpp"

namespace strata::analysis {

// "not_yet", "flat", "warm_up", "slow_down", "none": as in summary.json.
std::string_view to_string(Course course);

inline constexpr std::size_t kFewestSteps = 20;  // with fewer, a first step alone is compared with the rest

// `steps` by their number; those that came to their end.
SteadyState find_steady_state(std::span<const TimedStep> steps);

}  // namespace strata::analysis
