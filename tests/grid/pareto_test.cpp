// SPDX-License-Identifier: Apache-2.0
#include "host/grid/table/pareto.hpp"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace strata::test {
namespace {

using grid::CostPoint;

bool beats(const CostPoint& a, const CostPoint& b) {
  return a.time <= b.time && a.memory <= b.memory && (a.time < b.time || a.memory < b.memory);
}

TEST(Pareto, IsWhatNothingBeats) {
  EXPECT_EQ(grid::pareto_front({{3, 1}, {1, 3}, {2, 2}, {3, 3}, {2, 4}}),
            (std::vector<std::size_t>{1, 2, 0}));
  EXPECT_TRUE(grid::pareto_front({}).empty());
  EXPECT_EQ(grid::pareto_front({{1, 1}, {1, 1}}).size(), 2U);
}

TEST(Pareto, EqualsTheDefinitionOnAnyPoints) {
  std::mt19937 random(3);
  std::uniform_int_distribution<int> few(0, 6);
  for (int round = 0; round < 300; ++round) {
    std::vector<CostPoint> points(static_cast<std::size_t>(few(random)) * 2);
    for (CostPoint& point : points)
      point = {static_cast<double>(few(random)), static_cast<double>(few(random))};
    std::set<std::size_t> expected;
    for (std::size_t index = 0; index < points.size(); ++index) {
      bool beaten = false;
      for (const CostPoint& other : points) beaten = beaten || beats(other, points[index]);
      if (!beaten) expected.insert(index);
    }
    const auto front = grid::pareto_front(points);
    EXPECT_EQ(std::set<std::size_t>(front.begin(), front.end()), expected);
    EXPECT_EQ(front.size(), expected.size());
  }
}

}  // namespace
}  // namespace strata::test
