// SPDX-License-Identifier: Apache-2.0
// Compares launches with kernels: records that a profiler lost show as a surplus on one side.
#include <gtest/gtest.h>

#include "strata/ext/activity.h"
#include "tests/analysis/time/timed_run.hpp"

namespace strata::analysis {
namespace {

using testing::TimedRun;

class LaunchCheckTest : public ::testing::Test {
 protected:
  LaunchCheckTest() {
    run_.step(0, 0, 10'000);
    for (std::int64_t at = 0; at < 5; ++at) {
      const auto correlation = run_.call("cudaLaunchKernel", at * 100, at * 100 + 5);
      run_.device(STRATA_ACTIVITY_KERNEL, at * 100 + 50, at * 100 + 90, correlation, "k");
    }
    const auto copy = run_.call("cudaMemcpyAsync", 900, 905, false);
    run_.device(STRATA_ACTIVITY_COPY, 950, 990, copy);
  }
  LaunchCheck check() const { return run_.facts().launches.value(); }
  TimedRun run_;
};

TEST_F(LaunchCheckTest, HoldsWhenEachLaunchHasItsKernel) {
  EXPECT_TRUE(check().holds());
  EXPECT_EQ(check().launches, 5u);
  EXPECT_EQ(check().work, 5u);
}

TEST_F(LaunchCheckTest, CountsLostKernels) {
  auto& activities = run_.recording().time.activities;
  std::erase_if(activities, [](const ActivityRow& row) { return row.ordinal == 2 || row.ordinal == 6; });
  EXPECT_FALSE(check().holds());
  EXPECT_EQ(check().launches_unanswered, 2u);
  EXPECT_EQ(check().work_unasked, 0u);
}

TEST_F(LaunchCheckTest, CountsKernelsThatNobodyLaunched) {
  run_.device(STRATA_ACTIVITY_KERNEL, 2000, 2100, 4711, "k");
  EXPECT_FALSE(check().holds());
  EXPECT_EQ(check().work_unasked, 1u);
}

TEST_F(LaunchCheckTest, TakesAGraphWholeOrNodeByNode) {
  const auto whole = run_.call("cudaGraphLaunch", 3000, 3005);
  run_.device(STRATA_ACTIVITY_GRAPH, 3100, 3200, whole).graph = 1;
  const auto by_node = run_.call("cudaGraphLaunch", 4000, 4005);
  for (std::int64_t node = 0; node < 3; ++node) {
    ActivityRow& kernel = run_.device(STRATA_ACTIVITY_KERNEL, 4100 + node, 4101 + node, by_node, "k");
    kernel.graph = 2;
  }
  const auto of_copies = run_.call("cudaGraphLaunch", 5000, 5005);
  run_.device(STRATA_ACTIVITY_COPY, 5100, 5200, of_copies).graph = 3;
  EXPECT_TRUE(check().holds());
  EXPECT_EQ(check().launches, 8u);
}

}  // namespace
}  // namespace strata::analysis
