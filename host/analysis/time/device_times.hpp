// SPDX-License-Identifier: Apache-2.0
// What a device did with its time: computing, copying, both, and why nothing.
#pragma once

#include <vector>

#include "host/analysis/facts/time_facts.hpp"
#include "host/analysis/recording/recording.hpp"
#include "host/analysis/time/activity_places.hpp"

namespace strata::analysis {

// What times of devices are found from.
struct DeviceWork {
  const Recording& run;
  const StepMoments& moments;
  const std::vector<ActivityPlace>& places;  // of run.time.activities
  Interval window;
};

// Of each device that did anything in the window, by index.
std::vector<DeviceTime> device_times(const DeviceWork& work);

// While the device did anything, clipped to nothing.
Intervals busy(const std::vector<ActivityRow>& activities, std::uint32_t device);

}  // namespace strata::analysis
