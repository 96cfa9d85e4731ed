// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/time/device_times.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "host/analysis/facts/time_facts.hpp"
#include "host/analysis/recording/recording.hpp"
#include "strata/ext/activity.h"
#include "strata/ext/phase.h"

namespace strata::analysis {
namespace {

// Why a device was idle.
//
// A gap lies between two pieces of a device's work. The time up to the call that requested the next work
// belongs to the host: the part in a phase that loads data is kData, the part outside of steps kNoStep. The
// rest is kSynchronize if the calling thread waited for a device in the gap or right before it, so that it
// could have nothing ready; else kLaunch. The time from the begin of the call is kLatency.

// The number of longest gaps to keep.
constexpr std::size_t kLongestGaps = 20;

using Causes = std::array<std::int64_t, kIdleCauses>;

std::int64_t& of(Causes& causes, IdleCause cause) {
  return causes.at(static_cast<std::size_t>(cause));
}

bool waits(const ActivityRow& activity) {
  return activity.kind == STRATA_ACTIVITY_SYNCHRONIZE &&
         activity.detail != STRATA_SYNCHRONIZE_STREAM_WAITS_EVENT;
}

class IdleFinder {
 public:
  IdleFinder(const DeviceWork& work, std::uint32_t device) : work_(work) {
    const auto& activities = work.run.time.activities;
    std::map<std::uint32_t, std::vector<Interval>> waited;
    for (std::uint32_t index = 0; index < activities.size(); ++index) {
      const ActivityRow& activity = activities[index];
      if (activity.device == device && is_device_work(activity.kind)) device_work_.push_back(index);
      if (waits(activity)) waited[activity.thread].push_back({activity.begin_ns, activity.end_ns});
    }
    for (auto& [thread, intervals] : waited) waits_[thread] = united(std::move(intervals));
    std::vector<Interval> steps, data;
    for (std::uint32_t step = 0; step < work.run.steps.size(); ++step)
      steps.push_back(work.moments.step(step));
    for (std::uint32_t phase = 0; phase < work.run.phases.size(); ++phase) {
      const std::uint32_t kind = work.run.phases[phase].kind;
      if (kind == STRATA_PHASE_DATA || kind == STRATA_PHASE_HOST_TO_DEVICE)
        data.push_back(work.moments.phase(phase));
    }
    steps_ = united(std::move(steps));
    data_ = united(std::move(data));
  }

  // Index of the activity that ends a gap which ends then, or kNoRow.
  std::uint32_t next_at(std::int64_t ns) const {
    const auto& activities = work_.run.time.activities;
    const auto next = std::ranges::lower_bound(
        device_work_, ns, {}, [&](std::uint32_t index) { return activities[index].begin_ns; });
    return next == device_work_.end() ? kNoRow : *next;
  }

  Causes causes(Interval gap, std::uint32_t next) const {
    Causes causes{};
    const auto host = [&](Interval interval, IdleCause otherwise) {
      const std::int64_t in_step = covered_ns(steps_, interval);
      const std::int64_t data = covered_ns(data_, interval);
      of(causes, IdleCause::kData) += data;
      of(causes, IdleCause::kNoStep) += interval.length_ns() - std::max(in_step, data);
      of(causes, otherwise) += std::max<std::int64_t>(0, in_step - data);
    };
    if (next == kNoRow) {
      host(gap, IdleCause::kTail);
      return causes;
    }
    const std::uint32_t call = work_.places[next].call;
    if (call == kNoRow) {
      host(gap, IdleCause::kUnknown);
      return causes;
    }
    const ActivityRow& asked = work_.run.time.activities[call];
    const std::int64_t asked_ns = std::clamp(asked.begin_ns, gap.begin_ns, gap.end_ns);
    of(causes, IdleCause::kLatency) += gap.end_ns - asked_ns;
    if (asked_ns > gap.begin_ns) {
      const Interval before{gap.begin_ns, asked_ns};
      host(before, waited(asked.thread, before) ? IdleCause::kSynchronize : IdleCause::kLaunch);
    }
    return causes;
  }

 private:
  // A wait ends a moment after the work that it waited for, which is the gap's begin.
  bool waited(std::uint32_t thread, Interval interval) const {
    const auto waits = waits_.find(thread);
    return waits != waits_.end() && covered_ns(waits->second, interval) > 0;
  }

  const DeviceWork& work_;
  std::vector<std::uint32_t> device_work_;  // by begin
  std::map<std::uint32_t, Intervals> waits_;
  Intervals steps_, data_;
};

// Sets idle_ns, gaps and longest_gaps of a device with known bounds.
void explain_idle(const DeviceWork& work, DeviceTime& time) {
  const IdleFinder finder(work, time.device);
  const Intervals idle = gaps(busy(work.run.time.activities, time.device), time.bounds);
  time.gaps = idle.size();
  for (const Interval& gap : idle) {
    const bool is_tail = gap.end_ns == time.bounds.end_ns;
    std::uint32_t next = finder.next_at(gap.end_ns);
    if (is_tail && next != kNoRow && work.run.time.activities[next].begin_ns > gap.end_ns) next = kNoRow;
    const Causes causes = finder.causes(gap, next);
    for (std::size_t cause = 0; cause < kIdleCauses; ++cause) time.idle_ns[cause] += causes[cause];
    const auto most = std::ranges::max_element(causes) - causes.begin();
    time.longest_gaps.push_back({gap, static_cast<IdleCause>(most), next});
  }
  const auto longer = [](const IdleGap& left, const IdleGap& right) {
    return left.when.length_ns() > right.when.length_ns();
  };
  std::ranges::stable_sort(time.longest_gaps, longer);
  if (time.longest_gaps.size() > kLongestGaps) time.longest_gaps.resize(kLongestGaps);
}

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
