// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/warm_up/change_points.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace strata::analysis {
namespace {

// Twice the negative log likelihood of one segment, from its definition.
double direct_cost(std::span<const double> values, double least_variance) {
  double mean = 0.0, variance = 0.0;
  for (const double value : values) mean += value / static_cast<double>(values.size());
  for (const double value : values)
    variance += (value - mean) * (value - mean) / static_cast<double>(values.size());
  const double taken = std::max(variance, least_variance);
  return static_cast<double>(values.size()) * (std::log(taken) + variance / taken);
}

// Every partition, by recursion over the end: optimal partitioning without pruning.
double cheapest_of_all(std::span<const double> values, const ChangePointOptions& options) {
  std::vector<double> cheapest(values.size() + 1, std::numeric_limits<double>::infinity());
  cheapest[0] = -options.penalty;
  for (std::size_t end = options.shortest_segment; end <= values.size(); ++end) {
    for (std::size_t begin = 0; begin + options.shortest_segment <= end; ++begin) {
      const double cost = direct_cost(values.subspan(begin, end - begin), options.least_variance);
      cheapest[end] = std::min(cheapest[end], cheapest[begin] + cost + options.penalty);
    }
  }
  return cheapest.back();
}

double total_cost(std::span<const double> values, const std::vector<std::size_t>& begins,
                  const ChangePointOptions& options) {
  double total = -options.penalty;
  for (std::size_t segment = 0; segment < begins.size(); ++segment) {
    const std::size_t end = segment + 1 < begins.size() ? begins[segment + 1] : values.size();
    EXPECT_GE(end - begins[segment], options.shortest_segment);
    total += direct_cost(values.subspan(begins[segment], end - begins[segment]), options.least_variance) +
             options.penalty;
  }
  return total;
}

TEST(ChangePoints, AreThoseOfTheCheapestOfAllPartitions) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 400; ++round) {
    std::vector<double> values;
    std::normal_distribution<double> noise(0.0, 1.0);
    double level = 100.0, spread = 1.0;
    const std::size_t count = 10 + random() % 50;
    while (values.size() < count) {
      if (random() % 12 == 0) level = 90.0 + static_cast<double>(random() % 20);
      if (random() % 15 == 0) spread = static_cast<double>(random() % 3);  // 0: no variation
      values.push_back(level + spread * noise(random));
    }
    const ChangePointOptions options{.shortest_segment = 1 + random() % 6,
                                     .penalty = static_cast<double>(random() % 20),
                                     .least_variance = 0.01};
    const std::vector<std::size_t> begins = find_segments(values, options);
    ASSERT_EQ(begins.front(), 0u);
    EXPECT_NEAR(total_cost(values, begins, options), cheapest_of_all(values, options), 1e-6) << round;
  }
}

TEST(ChangePoints, AreFoundWhereTheLevelChanges) {
  std::vector<double> values(20, 5.0);
  values.resize(50, 3.0);
  EXPECT_EQ(find_segments(values, {.penalty = 20.0}), (std::vector<std::size_t>{0, 20}));
}

TEST(ChangePoints, AreFoundWhereOnlyTheSpreadChanges) {
  std::vector<double> values;
  for (int index = 0; index < 80; ++index)
    values.push_back(10.0 + (index < 40 ? 0.01 : 2.0) * (1 - index % 2));
  EXPECT_EQ(find_segments(values, {.penalty = 20.0}), (std::vector<std::size_t>{0, 40}));
}

TEST(ChangePoints, OfFewValuesThereAreNone) {
  EXPECT_TRUE(find_segments({}, {}).empty());
  const std::vector<double> values{1.0, 100.0, 1.0};
  EXPECT_EQ(find_segments(values, {}), std::vector<std::size_t>{0});
}

TEST(ChangePoints, KeepTheDifferencesOfLargeValues) {
  std::vector<double> values(30, 1e12);
  values.resize(60, 1e12 + 1e4);
  EXPECT_EQ(find_segments(values, {.penalty = 20.0, .least_variance = 1.0}),
            (std::vector<std::size_t>{0, 30}));
}

}  // namespace
}  // namespace strata::analysis
