// SPDX-License-Identifier: Apache-2.0
// Activities are reported late: which of them belong to the active window.
#include "plugins/cupti_timeline/activity_window.hpp"

#include <gtest/gtest.h>

namespace strata::cupti_timeline {
namespace {

strata_when at(std::uint64_t sequence, std::int64_t ns) {
  strata_when when{};
  when.struct_size = sizeof when;
  when.sequence = sequence;
  when.monotonic_ns = ns;
  return when;
}

strata_activity_event activity(std::int64_t begin_ns, std::uint64_t op = STRATA_NONE) {
  strata_activity_event event{};
  event.struct_size = sizeof event;
  event.kind = STRATA_ACTIVITY_KERNEL;
  event.begin_ns = begin_ns;
  event.end_ns = begin_ns + 1;
  event.op = op;
  return event;
}

TEST(ActivityWindow, HasNothingBeforeItsFirstStep) {
  const ActivityWindow window;
  EXPECT_FALSE(window.contains(activity(5)));
  EXPECT_FALSE(window.contains(activity(5, 3)));
}

TEST(ActivityWindow, ReachesFromTheFirstStepToTheEndOfTheLast) {
  ActivityWindow window;
  window.begin_step(at(100, 1000));
  window.begin_step(at(200, 2000));
  EXPECT_FALSE(window.contains(activity(999)));
  EXPECT_TRUE(window.contains(activity(1000)));
  EXPECT_TRUE(window.contains(activity(1'000'000)));
  window.end_last_step(at(300, 3000));
  EXPECT_TRUE(window.contains(activity(3000)));
  EXPECT_FALSE(window.contains(activity(3001)));
}

TEST(ActivityWindow, KeepsWhatAnOperatorOfItAskedFor) {
  ActivityWindow window;
  window.begin_step(at(100, 1000));
  window.end_last_step(at(300, 3000));
  EXPECT_TRUE(window.contains(activity(3500, 299)));  // the device started it after the step
  EXPECT_FALSE(window.contains(activity(3500, 301)));
  EXPECT_FALSE(window.contains(activity(1500, 99)));  // launched before the window
}

}  // namespace
}  // namespace strata::cupti_timeline
