// SPDX-License-Identifier: Apache-2.0
#include "host/report/timeline.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "tests/report/simulated_training.hpp"

namespace strata::report {
namespace {

using analysis::Facts;
using analysis::Point;

Point point(std::uint64_t sequence, std::int64_t ns, std::uint64_t parameter, std::uint64_t activation = 0) {
  Point point{sequence, ns, {}};
  point.bytes[0] = parameter;
  point.bytes[4] = activation;
  return point;
}

// Points at irregular times, some at equal times, some slightly out of order.
std::vector<Point> irregular_points(std::uint32_t seed, std::size_t count, std::int64_t end_ns) {
  std::mt19937 random(seed);
  std::uniform_int_distribution<std::int64_t> times(0, end_ns - 1);
  std::vector<Point> points;
  for (std::size_t i = 0; i < count; ++i)
    points.push_back(point(i + 1, times(random), random() % 1000, random() % 50));
  std::ranges::sort(points, {}, &Point::ns);
  for (std::size_t i = 0; i + 1 < count; i += 7) std::swap(points[i].ns, points[i + 1].ns);
  for (std::size_t i = 0; i < count; ++i) points[i].sequence = i + 1;
  return points;
}

// The specification of largest_by_column, implemented without its loops: every state with the time over which
// it held.
std::vector<Point> brute_force(const std::vector<Point>& points, const Point& entered,
                               const Columns& columns) {
  struct Held {
    Point state;
    std::int64_t from_ns, until_ns;
  };
  std::vector<Held> states{{entered, columns.begin_ns, columns.end_ns}};
  for (const auto& point : points) {
    const auto ns = std::max(point.ns, states.back().from_ns);
    states.back().until_ns = ns;
    states.push_back({point, ns, columns.end_ns});
  }
  const auto count = static_cast<std::int64_t>(columns.count);
  const auto span_ns = columns.end_ns - columns.begin_ns;
  std::vector<Point> shown;
  for (std::int64_t column = 0; column < count; ++column) {
    const auto begin_ns = columns.begin_ns + span_ns * column / count;
    const auto end_ns = columns.begin_ns + span_ns * (column + 1) / count;
    const Held* largest = nullptr;
    for (const auto& held : states) {
      const bool is_born_here = held.from_ns >= begin_ns && held.from_ns < end_ns && held.state.sequence != 0;
      const bool holds_here = held.from_ns < end_ns && held.until_ns > begin_ns;
      if (!is_born_here && !holds_here) continue;
      if (largest == nullptr || analysis::sum(held.state.bytes) > analysis::sum(largest->state.bytes))
        largest = &held;
    }
    shown.push_back(largest->state);
    shown.back().ns = begin_ns;
  }
  const auto holds_the_same = [](const Point& left, const Point& right) { return left.bytes == right.bytes; };
  shown.erase(std::unique(shown.begin(), shown.end(), holds_the_same), shown.end());
  return shown;
}

void expect_same(const std::vector<Point>& expected, const std::vector<Point>& actual) {
  ASSERT_EQ(expected.size(), actual.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(expected[i].ns, actual[i].ns) << i;
    EXPECT_EQ(expected[i].bytes, actual[i].bytes) << i;
  }
}

TEST(LargestByColumn, EqualsBruteForce) {
  for (const std::size_t count : {1U, 2U, 7U, 64U, 1000U}) {
    for (std::uint32_t seed = 0; seed < 20; ++seed) {
      SCOPED_TRACE(::testing::Message() << count << " columns, seed " << seed);
      const auto points = irregular_points(seed, 300, 5000);
      const Columns columns{0, 5000, count};
      expect_same(brute_force(points, Point{}, columns), largest_by_column(points, Point{}, columns));
    }
  }
}

TEST(LargestByColumn, ShowsAPeakOfNoDuration) {
  const std::vector<Point> points{point(1, 10, 5), point(2, 50, 900), point(3, 50, 5)};
  const auto shown = largest_by_column(points, Point{}, {0, 100, 4});
  ASSERT_EQ(shown.size(), 3U);
  EXPECT_EQ(shown[1].ns, 50);
  EXPECT_EQ(shown[1].bytes[0], 900U);
  EXPECT_EQ(shown[2].ns, 75);
  EXPECT_EQ(shown[2].bytes[0], 5U);
}

TEST(LargestByColumn, CarriesTheEnteredStateThroughColumnsWithoutEvents) {
  const auto shown = largest_by_column(std::vector{point(9, 70, 1)}, point(8, 0, 40), {0, 100, 10});
  ASSERT_EQ(shown.size(), 2U);
  EXPECT_EQ(shown[0].bytes[0], 40U);
  EXPECT_EQ(shown[1].ns, 70);
}

TEST(LargestByColumn, CutsTheTimeOfAMonthWithoutOverflow) {
  constexpr std::int64_t kMonthNs = 2'600'000'000'000'000;
  const auto shown = largest_by_column(std::vector{point(1, kMonthNs - 2, 7)}, Point{}, {0, kMonthNs, 16384});
  ASSERT_EQ(shown.size(), 2U);
  EXPECT_GT(shown[1].ns, kMonthNs - kMonthNs / 16000);
}

TEST(TimelineOf, KeepsEveryStateOfAShortRun) {
  const auto facts = testing::simulate({.steps = 4, .first_active_step = 1, .layers = 2});
  const auto timeline = timeline_of(facts);
  ASSERT_EQ(timeline.points.size(), facts.points.size() + 1);
  EXPECT_EQ(timeline.column_ns, 0);
  for (std::size_t i = 0; i < facts.points.size(); ++i) {
    EXPECT_EQ(timeline.points[i + 1].bytes, facts.points[i].bytes);
    EXPECT_EQ(timeline.points[i + 1].ns, facts.points[i].ns);
  }
}

class LongRun : public ::testing::Test {
 protected:
  const Facts facts_ = testing::simulate({.steps = 40, .first_active_step = 4});
  const TimelineLimits limits_{.run_points = 500, .peak_points = 2000};
  const Timeline timeline_ = timeline_of(facts_, limits_);
};

TEST_F(LongRun, StaysWithinItsLimits) {
  ASSERT_GT(facts_.points.size(), limits_.run_points + limits_.peak_points);
  EXPECT_LE(timeline_.points.size(), limits_.run_points + limits_.peak_points + 3);
  EXPECT_TRUE(std::ranges::is_sorted(timeline_.points, {}, &Point::ns));
}

TEST_F(LongRun, KeepsTheLargestMomentOfEveryStep) {
  for (const auto& step : facts_.steps) {
    std::uint64_t largest = 0;
    for (const auto& point : timeline_.points) {
      // If a step begins inside a column, the column is shown from the step's begin.
      if (point.ns + timeline_.column_ns < step.begin_ns || point.ns >= step.end_ns) continue;
      largest = std::max(largest, analysis::sum(point.bytes));
    }
    EXPECT_GE(largest, step.peak_allocated_bytes) << "step " << step.index;
  }
}

TEST_F(LongRun, KeepsThePeaksStepEventByEvent) {
  const auto& step = facts_.steps.at(static_cast<std::size_t>(facts_.peak.step));
  EXPECT_EQ(timeline_.exact_begin_ns, step.begin_ns);
  std::vector<analysis::CategoryBytes> expected, shown;
  for (const auto& point : facts_.points) {
    if (point.ns >= step.begin_ns && point.ns < step.end_ns) expected.push_back(point.bytes);
  }
  for (const auto& point : timeline_.points) {
    if (point.ns >= step.begin_ns && point.ns < step.end_ns) shown.push_back(point.bytes);
  }
  ASSERT_EQ(shown.size(), expected.size() + 1);  // preceded by the state at its begin
  EXPECT_TRUE(std::equal(expected.begin(), expected.end(), shown.begin() + 1));
}

TEST(TimelineOf, CutsAPeaksStepThatHasTooManyEvents) {
  const auto facts = testing::simulate({.steps = 20, .first_active_step = 4});
  const auto timeline = timeline_of(facts, {.run_points = 100, .peak_points = 50});
  EXPECT_EQ(timeline.exact_begin_ns, timeline.exact_end_ns);
  EXPECT_LE(timeline.points.size(), 153U);
  const auto largest =
      std::ranges::max(timeline.points, {}, [](const Point& p) { return analysis::sum(p.bytes); });
  EXPECT_EQ(largest.bytes, facts.peak.categories);
}

TEST(TimelineOf, IsOneStateOfNothingForAnEmptyRun) {
  const auto timeline = timeline_of(Facts{});
  ASSERT_EQ(timeline.points.size(), 1U);
  EXPECT_EQ(analysis::sum(timeline.points[0].bytes), 0U);
  EXPECT_GT(timeline.end_ns, timeline.begin_ns);
}

}  // namespace
}  // namespace strata::report
