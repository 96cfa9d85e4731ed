// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/time/intervals.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace strata::analysis {
namespace {

TEST(Intervals, UniteWhatTouchesAndDropWhatIsEmpty) {
  EXPECT_EQ(united({{5, 9}, {1, 3}, {3, 4}, {6, 7}, {20, 20}, {30, 25}}), (Intervals{{1, 4}, {5, 9}}));
  EXPECT_TRUE(united({}).empty());
}

TEST(Intervals, Intersect) {
  EXPECT_EQ(intersection({{0, 10}, {20, 30}}, {{5, 25}, {29, 40}}), (Intervals{{5, 10}, {20, 25}, {29, 30}}));
  EXPECT_TRUE(intersection({{0, 10}}, {{10, 20}}).empty());
}

TEST(Intervals, LeaveGapsWithinBounds) {
  EXPECT_EQ(gaps({{-5, 2}, {4, 6}, {9, 50}}, {0, 10}), (Intervals{{2, 4}, {6, 9}}));
  EXPECT_EQ(gaps({}, {3, 5}), (Intervals{{3, 5}}));
  EXPECT_EQ(gaps({{4, 5}}, {0, 10}), (Intervals{{0, 4}, {5, 10}}));
  EXPECT_TRUE(gaps({{0, 10}}, {0, 10}).empty());
}

// Compared with counting moments one by one.
TEST(Intervals, AgreeWithCounting) {
  std::mt19937 random(7);
  const auto draw = [&](std::int64_t below) { return std::int64_t(random() % std::uint64_t(below)); };
  for (int round = 0; round < 300; ++round) {
    std::vector<bool> left(60, false), right(60, false);
    std::vector<Interval> left_intervals, right_intervals;
    for (int interval = 0; interval < 5; ++interval) {
      for (auto* side : {&left, &right}) {
        const std::int64_t begin = draw(50), end = begin + draw(10);
        (side == &left ? left_intervals : right_intervals).push_back({begin, end});
        for (std::int64_t at = begin; at < end; ++at) (*side)[std::size_t(at)] = true;
      }
    }
    const Intervals a = united(left_intervals), b = united(right_intervals);
    std::int64_t both = 0, in_left = 0, outside = 0, in_interval = 0;
    const Interval interval{draw(30), 30 + draw(30)};
    for (std::int64_t at = 0; at < 60; ++at) {
      const std::size_t moment = std::size_t(at);
      both += left[moment] && right[moment];
      in_left += left[moment];
      outside += !left[moment];
      in_interval += left[moment] && at >= interval.begin_ns && at < interval.end_ns;
    }
    EXPECT_EQ(length_ns(a), in_left);
    EXPECT_EQ(length_ns(intersection(a, b)), both);
    EXPECT_EQ(length_ns(gaps(a, {0, 60})), outside);
    EXPECT_EQ(covered_ns(a, interval), in_interval);
  }
}

}  // namespace
}  // namespace strata::analysis
