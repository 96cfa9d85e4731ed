// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/steps/thinned.hpp"

#include <gtest/gtest.h>

#include "host/analysis/recording/recording.hpp"
#include "host/analysis/steps/window.hpp"

namespace strata::analysis {
namespace {

// Steps 0-2 and 4-5 out of seven, with ten events each.
Thinned two_intervals() {
  return {.intervals = {{0, 2, 3, 0, 30}, {4, 5, 2, 40, 60}}, .peaks = {{40, 1, 0, 700, 900, 45, 4500}}};
}

Recording seven_steps() {
  Recording run;
  for (std::int64_t step = 0; step < 7; ++step) {
    StepRow row;
    row.step = step;
    row.begin_sequence = static_cast<std::uint64_t>(step) * 10;
    row.begin_ns = step * 1000;
    run.steps.push_back(row);
  }
  run.thinned = two_intervals();
  run.device = {1, 0};
  return run;
}

TEST(ThinnedTest, ContainsWhatIsWithinAnInterval) {
  const Thinned thinned = two_intervals();
  for (const std::uint64_t sequence : {0u, 29u, 40u, 59u})
    EXPECT_TRUE(thinned.contains(sequence)) << sequence;
  for (const std::uint64_t sequence : {30u, 39u, 60u}) EXPECT_FALSE(thinned.contains(sequence)) << sequence;
  EXPECT_FALSE(Thinned{}.contains(0));
}

TEST(ThinnedTest, OfAnIntervalOnlyTheLevelThatItEndsWithIsLeft) {
  std::vector<Point> points;
  for (const std::uint64_t sequence : {5u, 25u, 31u, 35u, 41u, 51u, 61u, 62u}) {
    points.emplace_back();
    points.back().sequence = sequence;
  }
  drop_thinned_points(two_intervals(), points);
  std::vector<std::uint64_t> left;
  for (const Point& point : points) left.push_back(point.sequence);
  EXPECT_EQ(left, (std::vector<std::uint64_t>{25, 31, 35, 51, 61, 62}));
}

TEST(ThinnedTest, TheWindowBeginsBehindTheLastInterval) {
  const Recording run = seven_steps();
  const Window window =
      whole_steps(run, {.first_step = 1, .last_step = 6, .begin_sequence = 10, .begin_ns = 1000});
  EXPECT_EQ(window.first_step, 6);
  EXPECT_EQ(window.begin_sequence, 60U);
  EXPECT_EQ(window.begin_ns, 6000);
}

TEST(ThinnedTest, AWindowThatNothingOfIsThinnedStays) {
  const Recording run = seven_steps();
  EXPECT_EQ(whole_steps(run, {.first_step = 6, .last_step = 6, .begin_sequence = 60}).first_step, 6);
}

TEST(ThinnedTest, AStepsPeakIsTheOneThatWasKeptOfItsDevice) {
  std::vector<StepFact> steps(2);
  steps[0].begin_sequence = 40;
  steps[0].peak_allocated_bytes = 3;  // of its remaining part
  steps[1].begin_sequence = 60;
  steps[1].peak_allocated_bytes = 5;
  use_thinned_peaks(seven_steps(), steps);
  EXPECT_TRUE(steps[0].thinned);
  EXPECT_EQ(steps[0].peak_allocated_bytes, 700U);
  EXPECT_EQ(steps[0].peak_reserved_bytes, 900U);
  EXPECT_EQ(steps[0].peak_sequence, 45U);
  EXPECT_FALSE(steps[1].thinned);
  EXPECT_EQ(steps[1].peak_allocated_bytes, 5U);
}

}  // namespace
}  // namespace strata::analysis
