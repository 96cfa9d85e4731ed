// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/time/device_times.hpp"

#include <algorithm>
#include <set>

#include "host/analysis/recording/recording.hpp"
#include "host/analysis/time/idle.hpp"
#include "strata/ext/activity.h"

namespace strata::analysis {
namespace {

template <typename Wanted>
Intervals covered(const std::vector<ActivityRow>& activities, std::uint32_t device, Wanted wanted) {
  std::vector<Interval> intervals;
  for (const ActivityRow& activity : activities) {
    if (activity.device == device && is_device_work(activity.kind) && wanted(activity.kind))
      intervals.push_back({activity.begin_ns, activity.end_ns});
  }
  return united(std::move(intervals));
}

DeviceTime device_time(const DeviceWork& work, std::uint32_t device) {
  const auto& activities = work.run.time.activities;
  const Intervals window = united({work.window});
  const auto within = [&](const Intervals& intervals) { return length_ns(intersection(intervals, window)); };
  const Intervals compute = covered(activities, device, [](std::uint32_t kind) {
    return kind == STRATA_ACTIVITY_KERNEL || kind == STRATA_ACTIVITY_GRAPH;
  });
  const Intervals copies =
      covered(activities, device, [](std::uint32_t kind) { return kind == STRATA_ACTIVITY_COPY; });
  DeviceTime time;
  time.device = device;
  time.bounds = work.window;
  time.busy_ns = within(busy(activities, device));
  time.compute_ns = within(compute);
  time.copy_ns = within(copies);
  time.overlap_ns = within(intersection(compute, copies));
  time.set_ns =
      within(covered(activities, device, [](std::uint32_t kind) { return kind == STRATA_ACTIVITY_SET; }));
  time.modelled = std::ranges::any_of(activities, [&](const ActivityRow& activity) {
    return activity.device == device && is_device_work(activity.kind) && activity.modelled;
  });
  explain_idle(work, time);
  return time;
}

}  // namespace

Intervals busy(const std::vector<ActivityRow>& activities, std::uint32_t device) {
  return covered(activities, device, [](std::uint32_t) { return true; });
}

std::vector<DeviceTime> device_times(const DeviceWork& work) {
  std::set<std::uint32_t> devices;
  for (const ActivityRow& activity : work.run.time.activities)
    if (is_device_work(activity.kind)) devices.insert(activity.device);
  std::vector<DeviceTime> times;
  times.reserve(devices.size());
  for (const std::uint32_t device : devices) times.push_back(device_time(work, device));
  std::erase_if(times, [](const DeviceTime& time) { return time.busy_ns == 0; });
  return times;
}

}  // namespace strata::analysis
