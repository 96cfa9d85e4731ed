// SPDX-License-Identifier: Apache-2.0
#include "host/report/plot/plots.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <sstream>
#include <string>

#include "host/report/plot/palette.hpp"
#include "tests/report/hostile_facts.hpp"
#include "tests/report/plot/pixels.hpp"
#include "tests/report/simulated_training.hpp"

namespace strata::report::plot {
namespace {

using analysis::Category;
using analysis::Facts;
using testing::Pixels;

constexpr std::array kAllPictures{Picture::kMemory, Picture::kCategories, Picture::kLayers, Picture::kPeak};

const Facts& training() {
  static const Facts facts = report::testing::simulate({});
  return facts;
}

// The number of pixels of each category's colour in one column.
std::array<int, analysis::kCategories> pixels_by_category(const Pixels& picture, int x) {
  std::array<int, analysis::kCategories> counts{};
  for (int y = 0; y < picture.height; ++y) {
    const auto* const found = std::ranges::find(kCategoryColours, picture.at(x, y));
    if (found != kCategoryColours.end())
      ++counts.at(static_cast<std::size_t>(found - kCategoryColours.begin()));
  }
  return counts;
}

TEST(MemoryPlot, EachColumnHasTheHeightsOfOneMoment) {
  const Facts& facts = training();
  PlotOptions options{.format = FileFormat::kPng, .width = 800, .height = 900, .pixels_a_point = 1.0};
  options.step = facts.peak.step;
  const Pixels picture = testing::read_png(draw(facts, Picture::kMemory, options));
  ASSERT_EQ(picture.width, 800);
  ASSERT_EQ(picture.height, 900);
  // The highest column is that of the peak, with the peak's shares.
  std::array<int, analysis::kCategories> highest{};
  int most = 0;
  for (int x = 60; x < 780; ++x) {
    const auto counts = pixels_by_category(picture, x);
    int sum = 0;
    for (const int count : counts) sum += count;
    if (sum > most) {
      most = sum;
      highest = counts;
    }
  }
  ASSERT_GT(most, 500);
  const double pixel = static_cast<double>(facts.peak.allocated_bytes) / most;
  for (std::size_t category = 0; category < analysis::kCategories; ++category) {
    // An edge has a mixed colour, and the grid's line and the dot may cover a pixel or two.
    EXPECT_NEAR(highest.at(category), static_cast<double>(facts.peak.categories.at(category)) / pixel, 4.0)
        << to_string(static_cast<Category>(category));
  }
}

TEST(Plots, AreFilesOfTheirFormat) {
  for (const auto picture : kAllPictures) {
    EXPECT_TRUE(draw(training(), picture, {.format = FileFormat::kPng}).starts_with("\x89PNG"));
    EXPECT_TRUE(draw(training(), picture, {.format = FileFormat::kPdf}).starts_with("%PDF-"));
    const std::string svg = draw(training(), picture, {.format = FileFormat::kSvg});
    EXPECT_NE(svg.find("<svg"), std::string::npos);
    EXPECT_TRUE(svg.ends_with("</svg>\n"));
  }
}

TEST(Plots, OfHostileAndOfEmptyRunsAreDrawn) {
  for (const Facts& facts : {report::testing::hostile_facts(), Facts{}}) {
    for (const auto picture : kAllPictures) {
      for (const double width : {320.0, 1500.0}) {
        const Pixels drawn = testing::read_png(draw(
            facts, picture,
            {.format = FileFormat::kPng, .width = width, .pixels_a_point = 1.0, .title = "\xff\x1b[31m"}));
        EXPECT_EQ(drawn.width, static_cast<int>(width));
      }
    }
  }
}

TEST(Plots, TooSmallOnesSaySo) {
  EXPECT_THROW(static_cast<void>(draw(training(), Picture::kMemory, {.height = 100.0})), DrawingError);
  EXPECT_THROW(static_cast<void>(draw(training(), Picture::kMemory, {.step = 12345})), std::out_of_range);
  EXPECT_THROW(static_cast<void>(draw(training(), Picture::kLayers, {.step = 12345})), std::out_of_range);
}

TEST(Palette, IsThePages) {
  std::ifstream file(PAGE_STYLE);
  std::ostringstream style;
  style << file.rdbuf();
  std::array<const char*, analysis::kCategories> names{"parameter",       "optimizer-state", "input",
                                                       "temporary",       "activation",      "gradient",
                                                       "autograd-detail", "unknown"};
  for (std::size_t category = 0; category < analysis::kCategories; ++category) {
    char line[64];
    std::snprintf(line, sizeof line, "--%s: #%06x;", names.at(category), kCategoryColours.at(category));
    EXPECT_NE(style.str().find(line), std::string::npos) << line;
  }
}

}  // namespace
}  // namespace strata::report::plot
