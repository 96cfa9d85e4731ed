// SPDX-License-Identifier: Apache-2.0
// Why a device was idle.
//
// A gap lies between two pieces of a device's work. The time up to the call that requested the next work
// belongs to the host: the part in a phase that loads data is kData, the part outside of steps kNoStep. The
// rest is kSynchronize if the calling thread waited for a device in the gap or right before it, so that it
// could have nothing ready; else kLaunch. The time from the begin of the call is kLatency.
#pragma once

#include "host/analysis/facts/time_facts.hpp"
#include "host/analysis/time/device_times.hpp"

namespace strata::analysis {

// The number of longest gaps to keep.
inline constexpr std::size_t kLongestGaps = 20;

// Sets idle_ns, gaps and longest_gaps of a device with known bounds.
void explain_idle(const DeviceWork& work, DeviceTime& time);

}  // namespace strata::analysis
