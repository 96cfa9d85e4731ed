// SPDX-License-Identifier: Apache-2.0
// A device with known gaps, each with one cause, and copies that overlap with kernels.
#include <gtest/gtest.h>

#include <numeric>

#include "strata/ext/activity.h"
#include "strata/ext/phase.h"
#include "tests/analysis/time/timed_run.hpp"

namespace strata::analysis {
namespace {

using testing::TimedRun;

std::int64_t idle(const DeviceTime& device, IdleCause cause) {
  return device.idle_ns.at(static_cast<std::size_t>(cause));
}

class DeviceTimes : public ::testing::Test {
 protected:
  DeviceTimes() { run_.step(0, 0, 10'000); }

  // A kernel that was launched at that time through the driver.
  void kernel(std::int64_t called_ns, std::int64_t begin_ns, std::int64_t end_ns) {
    const auto correlation = run_.call("cudaLaunchKernel", called_ns, called_ns + 5);
    run_.device(STRATA_ACTIVITY_KERNEL, begin_ns, end_ns, correlation, "k");
  }

  DeviceTime device() {
    const TimeFacts facts = run_.facts();
    EXPECT_EQ(facts.devices.size(), 1u);
    const DeviceTime& device = facts.devices.at(0);
    EXPECT_EQ(device.busy_ns + device.idle_in_all_ns(), device.bounds.length_ns())
        << "each moment is busy or idle for one cause";
    return device;
  }

  TimedRun run_;
};

TEST_F(DeviceTimes, BusyWithoutAGapIdlesForNothing) {
  run_.device(STRATA_ACTIVITY_KERNEL, 0, 6000, 0, "a");
  run_.device(STRATA_ACTIVITY_KERNEL, 5000, 10'000, 0, "b").stream = 7;
  EXPECT_EQ(device().busy_ns, 10'000);
  EXPECT_EQ(device().gaps, 0u);
}

TEST_F(DeviceTimes, IdleUntilTheHostAskedIsLaunch) {
  kernel(0, 0, 1000);
  kernel(1800, 2000, 10'000);
  const DeviceTime found = device();
  EXPECT_EQ(idle(found, IdleCause::kLaunch), 800);
  EXPECT_EQ(idle(found, IdleCause::kLatency), 200) << "from the call on";
  EXPECT_EQ(found.gaps, 1u);
  ASSERT_EQ(found.longest_gaps.size(), 1u);
  EXPECT_EQ(found.longest_gaps[0].cause, IdleCause::kLaunch);
}

TEST_F(DeviceTimes, IdleAfterItWasAskedIsLatency) {
  kernel(0, 0, 1000);
  kernel(500, 1300, 10'000);
  EXPECT_EQ(idle(device(), IdleCause::kLatency), 300);
}

TEST_F(DeviceTimes, IdleAfterTheHostWaitedIsSynchronize) {
  kernel(0, 0, 1000);
  run_.wait(100, 1010);  // ends just after the kernel
  kernel(1800, 2000, 10'000);
  const DeviceTime found = device();
  EXPECT_EQ(idle(found, IdleCause::kSynchronize), 800);
  EXPECT_EQ(idle(found, IdleCause::kLaunch), 0);
}

TEST_F(DeviceTimes, AWaitOfAnotherThreadExplainsNothing) {
  kernel(0, 0, 1000);
  run_.wait(100, 1010, TimedRun::kAutograd);
  kernel(1800, 2000, 10'000);
  EXPECT_EQ(idle(device(), IdleCause::kLaunch), 800);
}

TEST_F(DeviceTimes, AStreamThatWaitsIsNoHostThatWaits) {
  kernel(0, 0, 1000);
  run_.wait(100, 1010);
  run_.recording().time.activities.back().detail = STRATA_SYNCHRONIZE_STREAM_WAITS_EVENT;
  kernel(1800, 2000, 10'000);
  EXPECT_EQ(idle(device(), IdleCause::kLaunch), 800);
}

TEST_F(DeviceTimes, IdleWhileTheDataComesIsData) {
  run_.phase("data", STRATA_PHASE_DATA, 1200, 1700);
  kernel(0, 0, 1000);
  kernel(1800, 2000, 10'000);
  const DeviceTime found = device();
  EXPECT_EQ(idle(found, IdleCause::kData), 500);
  EXPECT_EQ(idle(found, IdleCause::kLaunch), 300);
  EXPECT_EQ(found.longest_gaps.at(0).cause, IdleCause::kData);
}

TEST_F(DeviceTimes, IdleBetweenStepsAndAtTheEnd) {
  run_.step(1, 12'000, 20'000);
  kernel(0, 0, 9000);
  kernel(13'000, 13'000, 19'000);
  const DeviceTime found = device();
  EXPECT_EQ(idle(found, IdleCause::kNoStep), 2000);
  EXPECT_EQ(idle(found, IdleCause::kLaunch), 1000 + 1000);
  EXPECT_EQ(idle(found, IdleCause::kTail), 1000);
}

TEST_F(DeviceTimes, IdleBeforeWhatNobodyIsKnownToHaveAskedIsUnknown) {
  run_.device(STRATA_ACTIVITY_KERNEL, 4000, 10'000, 99, "k");
  EXPECT_EQ(idle(device(), IdleCause::kUnknown), 4000);
}

TEST_F(DeviceTimes, CopyAndComputeAtOnce) {
  run_.device(STRATA_ACTIVITY_KERNEL, 0, 6000, 0, "k");
  run_.device(STRATA_ACTIVITY_COPY, 5000, 8000).stream = 9;
  run_.device(STRATA_ACTIVITY_COPY, 7000, 10'000).stream = 10;
  run_.device(STRATA_ACTIVITY_SET, 9000, 10'000);
  const DeviceTime found = device();
  EXPECT_EQ(found.compute_ns, 6000);
  EXPECT_EQ(found.copy_ns, 5000);
  EXPECT_EQ(found.overlap_ns, 1000);
  EXPECT_EQ(found.set_ns, 1000);
  EXPECT_EQ(found.busy_ns, 10'000);
}

TEST_F(DeviceTimes, OfTwoDevicesAreApart) {
  run_.device(STRATA_ACTIVITY_KERNEL, 0, 6000, 0, "k");
  run_.device(STRATA_ACTIVITY_KERNEL, 1000, 2000, 0, "k").device = 1;
  const TimeFacts facts = run_.facts();
  ASSERT_EQ(facts.devices.size(), 2u);
  EXPECT_EQ(facts.devices[0].busy_ns, 6000);
  EXPECT_EQ(facts.devices[1].busy_ns, 1000);
  EXPECT_EQ(facts.devices[1].idle_in_all_ns(), 9000);
}

TEST_F(DeviceTimes, OfADryDeviceSaySo) {
  run_.device(STRATA_ACTIVITY_KERNEL, 0, 10'000, 0, "k");
  EXPECT_FALSE(run_.facts().modelled);
  run_.recording().time.activities.back().modelled = true;
  EXPECT_TRUE(device().modelled);
  EXPECT_TRUE(run_.facts().modelled);
}

TEST_F(DeviceTimes, WithoutActivitiesThereIsNone) {
  run_.op("aten::mm", {.begin_ns = 0, .end_ns = 10});
  const TimeFacts facts = run_.facts();
  EXPECT_TRUE(facts.devices.empty());
  EXPECT_FALSE(facts.launches.has_value());
}

}  // namespace
}  // namespace strata::analysis
