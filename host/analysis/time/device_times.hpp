// SPDX-License-Identifier: Apache-2.0
// How a device spent its time: computing, copying, both, and why it was idle.
#pragma once

#include <vector>

#include "host/analysis/facts/time_facts.hpp"
#include "host/analysis/recording/recording.hpp"
#include "host/analysis/time/activity_places.hpp"

namespace strata::analysis {

// The input for device times.
struct DeviceWork {
  const Recording& run;
  const StepMoments& moments;
  const std::vector<ActivityPlace>& places;  // of run.time.activities
  Interval window;
};

// For each device with activity in the window, by index.
std::vector<DeviceTime> device_times(const DeviceWork& work);

// The device's busy intervals, not clipped.
Intervals busy(const std::vector<ActivityRow>& activities, std::uint32_t device);

}  // namespace strata::analysis
