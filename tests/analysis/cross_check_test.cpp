// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/checks/cross_check.hpp"

#include <gtest/gtest.h>

#include "host/analysis/analyse.hpp"
#include "tests/analysis/training_run.hpp"

namespace strata::analysis {
namespace {

Recording reported_run() {
  return testing::make_training_run({.cross_check = true}).recording;
}

CrossCheck checked(const Recording& run) {
  return cross_check(run, analyse(run).points);
}

TEST(CrossCheck, HoldsAtEveryEvent) {
  const Recording run = reported_run();
  const CrossCheck check = checked(run);
  EXPECT_TRUE(check.holds());
  EXPECT_EQ(check.events, run.memory.size());
  EXPECT_EQ(check.events_compared, run.memory.size());
  EXPECT_FALSE(check.first_mismatch.has_value());
}

TEST(CrossCheck, NoticesAnEventThatWeMissed) {
  Recording run = reported_run();
  const std::uint64_t missed = run.memory[20].sequence;
  run.memory.erase(run.memory.begin() + 20);
  const CrossCheck check = checked(run);
  EXPECT_FALSE(check.holds());
  EXPECT_EQ(check.reports_without_event, 1u);
  ASSERT_TRUE(check.first_mismatch.has_value());
  EXPECT_GT(check.first_mismatch->sequence, missed);
}

TEST(CrossCheck, NoticesAWrongSize) {
  Recording run = reported_run();
  run.memory[0].bytes += 1;
  const CrossCheck check = checked(run);
  EXPECT_FALSE(check.holds());
  ASSERT_TRUE(check.first_mismatch.has_value());
  EXPECT_EQ(check.first_mismatch->sequence, run.memory[0].sequence);
  EXPECT_EQ(check.first_mismatch->allocated_bytes, check.first_mismatch->reported_bytes + 1);
}

TEST(CrossCheck, NoticesAnEventThatNobodyReported) {
  Recording run = reported_run();
  run.reports.erase(run.reports.begin() + 5);
  const CrossCheck check = checked(run);
  EXPECT_FALSE(check.holds());
  EXPECT_EQ(check.events_compared + 1, check.events);
  EXPECT_EQ(check.mismatches, 0u);
}

TEST(CrossCheck, WithoutReportsNothingHolds) {
  EXPECT_FALSE(checked(testing::make_training_run().recording).holds());
}

}  // namespace
}  // namespace strata::analysis
