// SPDX-License-Identifier: Apache-2.0
// Why a device did nothing.
//
// A gap lies between what the device did last and what it did next. Up to the call that asked for the next
// work it was the host's: a part in a phase that gets data is kData, one outside of steps kNoStep. The rest
// is kSynchronize when the calling thread waited for a device in the gap or right before it, so that it could
// have nothing ready; else kLaunch. From the call's begin on it is kLatency.
#pragma once

#include "host/analysis/facts/time_facts.hpp"
#include "host/analysis/time/device_times.hpp"

namespace strata::analysis {

// How many of the longest gaps are kept.
inline constexpr std::size_t kLongestGaps = 20;

// Fills idle_ns, gaps and longest_gaps of a device whose bounds are set.
void explain_idle(const DeviceWork& work, DeviceTime& time);

}  // namespace strata::analysis
