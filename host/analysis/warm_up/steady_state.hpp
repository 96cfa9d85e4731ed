// SPDX-License-Identifier: Apache-2.0
// The step from which a run's steps have their steady duration, and the extra time of the steps before it.
//
// After Barrett et al., "Virtual Machine Warmup Blows Hot and Cold" (OOPSLA 2017): change points of mean and
// variance, then the last segment together with preceding ones that are equally fast.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "host/analysis/facts/steady_state.hpp"

namespace strata::analysis {

// "not_yet", "flat", "warm_up", "slow_down", "none": as in summary.json.
std::string_view to_string(Course course);

inline constexpr std::size_t kFewestSteps = 20;  // with fewer, only the first step is compared with the rest

// `steps` by number; only completed ones.
SteadyState find_steady_state(std::span<const TimedStep> steps);

}  // namespace strata::analysis
