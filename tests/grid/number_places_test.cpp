// SPDX-License-Identifier: Apache-2.0
#include "host/grid/pictures/number_places.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace strata::grid {
namespace {

using report::plot::Rectangle;

constexpr double kHeight = 8.0, kRadius = 3.0;

bool overlap(const Rectangle& one, const Rectangle& other) {
  return one.left < other.left + other.width && other.left < one.left + one.width &&
         one.top < other.top + other.height && other.top < one.top + one.height;
}

TEST(NumberPlaces, OneAloneHasItsNumberAbove) {
  const auto places = number_places({{{100.0, 100.0}, 6.0}}, kHeight, kRadius);
  ASSERT_EQ(places.size(), 1U);
  EXPECT_DOUBLE_EQ(places[0].left + places[0].width / 2.0, 100.0);
  EXPECT_LT(places[0].top + places[0].height, 100.0 - kRadius);
}

// Two points closer together than a number is high, like two settings that hardly differ.
TEST(NumberPlaces, NeighboursHideNeitherNumberNorPoint) {
  for (int trial = 0; trial < 360; ++trial) {
    const double angle = trial * 3.14159265 / 180.0;
    const NumberedPoint one{{100.0, 100.0}, 6.0};
    const NumberedPoint other{{100.0 + 7.0 * std::cos(angle), 100.0 + 7.0 * std::sin(angle)}, 11.0};
    const auto places = number_places({one, other}, kHeight, kRadius);
    EXPECT_FALSE(overlap(places[0], places[1])) << trial;
    for (const Rectangle& place : places) {
      for (const NumberedPoint& point : {one, other}) {
        const Rectangle dot{point.at.x - kRadius, point.at.y - kRadius, 2 * kRadius, 2 * kRadius};
        EXPECT_FALSE(overlap(place, dot)) << trial;
      }
    }
  }
}

TEST(NumberPlaces, EachHasAPlaceBesideItsPointHoweverManyThereAre) {
  std::mt19937 random(20261125);
  std::uniform_real_distribution<double> near(0.0, 30.0);
  std::vector<NumberedPoint> points;
  points.reserve(60);
  for (int i = 0; i < 60; ++i) points.push_back({{near(random), near(random)}, 11.0});
  const auto places = number_places(points, kHeight, kRadius);
  ASSERT_EQ(places.size(), points.size());
  for (std::size_t i = 0; i < places.size(); ++i) {
    EXPECT_LT(std::abs(places[i].left + places[i].width / 2.0 - points[i].at.x), 12.0);
    EXPECT_LT(std::abs(places[i].top + places[i].height / 2.0 - points[i].at.y), 12.0);
  }
}

}  // namespace
}  // namespace strata::grid
