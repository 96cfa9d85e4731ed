// SPDX-License-Identifier: Apache-2.0
#include "host/report/plot/label_places.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace strata::report::plot {
namespace {

constexpr Rectangle kArea{50.0, 60.0, 600.0, 300.0};

bool touch(const Rectangle& left, const Rectangle& right) {
  return left.left < right.left + right.width && right.left < left.left + left.width &&
         left.top < right.top + right.height && right.top < left.top + left.height;
}

bool is_within(const Rectangle& box) {
  return box.left >= kArea.left && box.top >= kArea.top && box.left + box.width <= kArea.left + kArea.width &&
         box.top + box.height <= kArea.top + kArea.height;
}

// Checks points along the arrow, in steps of a hundredth.
bool passes(const PlacedLabel& label, Position tip, const Rectangle& box) {
  for (int part = 0; part <= 100; ++part) {
    const double share = part / 100.0;
    const double x = label.from.x + (tip.x - label.from.x) * share,
                 y = label.from.y + (tip.y - label.from.y) * share;
    if (x > box.left && x < box.left + box.width && y > box.top && y < box.top + box.height) return true;
  }
  return false;
}

void expect_legible(const std::vector<WantedLabel>& wanted, const std::vector<PlacedLabel>& placed) {
  for (const PlacedLabel& label : placed) {
    EXPECT_TRUE(is_within(label.box)) << label.label;
    EXPECT_EQ(label.box.width, wanted[label.label].width);
    for (const PlacedLabel& other : placed) {
      if (&other == &label) continue;
      EXPECT_FALSE(touch(label.box, other.box)) << label.label << " on " << other.label;
      EXPECT_FALSE(passes(label, wanted[label.label].tip, other.box))
          << label.label << " through " << other.label;
    }
    for (const WantedLabel& want : wanted)
      EXPECT_FALSE(touch(label.box, {want.tip.x, want.tip.y, 0.01, 0.01})) << label.label;
  }
}

LabelGround white() {
  return {kArea, [](double) { return kArea.top + kArea.height; }, {}};
}

TEST(LabelPlaces, OfOneIsBesideIt) {
  const std::vector<WantedLabel> wanted{{{300.0, 200.0}, 80.0, 13.0}};
  const auto placed = place_labels(wanted, white());
  ASSERT_EQ(placed.size(), 1U);
  expect_legible(wanted, placed);
  EXPECT_LT(std::hypot(placed[0].from.x - 300.0, placed[0].from.y - 200.0), 30.0);
}

TEST(LabelPlaces, OfMomentsCloseTogetherAreAllLegible) {
  std::vector<WantedLabel> wanted;
  for (int label = 0; label < 16; ++label)
    wanted.push_back({{300.0 + 2.0 * label, 300.0 - 9.0 * label}, 130.0, 13.0});
  const auto placed = place_labels(wanted, white());
  EXPECT_EQ(placed.size(), wanted.size());
  expect_legible(wanted, placed);
}

TEST(LabelPlaces, OfAnyMomentsAreLegible) {
  for (std::uint32_t seed = 1; seed <= 10; ++seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> x(kArea.left, kArea.left + kArea.width),
        y(kArea.top, kArea.top + kArea.height), width(40.0, 160.0);
    std::vector<WantedLabel> wanted;
    for (int label = 0; label < 14; ++label) wanted.push_back({{x(random), y(random)}, width(random), 13.0});
    expect_legible(wanted, place_labels(wanted, white()));
  }
}

TEST(LabelPlaces, AreOnWhiteWhereThereIsSome) {
  const std::vector<WantedLabel> wanted{{{300.0, 200.0}, 80.0, 13.0}};
  const auto placed = place_labels(wanted, {kArea, [](double) { return 200.0; }, {}});
  ASSERT_EQ(placed.size(), 1U);
  EXPECT_LE(placed[0].box.top + placed[0].box.height, 200.0);
}

TEST(LabelPlaces, LeaveOtherTextAlone) {
  const std::vector<WantedLabel> wanted{{{55.0, 65.0}, 80.0, 13.0}};
  LabelGround ground = white();
  ground.taken = {{50.0, 60.0, 200.0, 40.0}};
  const auto placed = place_labels(wanted, ground);
  ASSERT_EQ(placed.size(), 1U);
  EXPECT_FALSE(touch(placed[0].box, ground.taken[0]));
}

TEST(LabelPlaces, OfWhatIsTooWideAreNone) {
  EXPECT_TRUE(place_labels({{{300.0, 200.0}, 700.0, 13.0}}, white()).empty());
  EXPECT_TRUE(place_labels({}, white()).empty());
}

}  // namespace
}  // namespace strata::report::plot
