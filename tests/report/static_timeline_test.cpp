// SPDX-License-Identifier: Apache-2.0
#include "host/report/page_data/static_timeline.hpp"

#include <gtest/gtest.h>

#include <string>

#include "host/report/page_data/page.hpp"
#include "tests/report/hostile_facts.hpp"
#include "tests/report/simulated_training.hpp"

namespace strata::report {
namespace {

TEST(StaticTimeline, StacksEveryCategoryAndSaysThePeak) {
  const auto facts = testing::simulate({.steps = 3, .first_active_step = 1, .layers = 2});
  const std::string svg = static_timeline(facts);
  EXPECT_TRUE(svg.starts_with("<svg")) << svg.substr(0, 80);
  EXPECT_TRUE(svg.ends_with("</svg>"));
  for (const auto* category : {"stratum parameter", "stratum optimizer-state", "stratum unknown"})
    EXPECT_NE(svg.find(category), std::string::npos) << category;
  EXPECT_NE(svg.find("MiB at most"), std::string::npos);
  EXPECT_LT(svg.size(), 200'000U);
}

TEST(StaticTimeline, StandsInThePageForReadersWithoutScripts) {
  const std::string text = page(testing::simulate({.steps = 2, .first_active_step = 1, .layers = 1}));
  const auto begin = text.find("<noscript>"), end = text.find("</noscript>");
  EXPECT_NE(text.substr(begin, end - begin).find("<svg class=\"static-timeline\""), std::string::npos);
}

TEST(StaticTimeline, HoldsNothingOfTheRunsNames) {
  const std::string svg = static_timeline(testing::hostile_facts());
  EXPECT_EQ(svg.find("script"), std::string::npos);
  EXPECT_EQ(svg.find("hostile"), std::string::npos);
}

TEST(StaticTimeline, OfAnEmptyRunIsNone) {
  EXPECT_EQ(static_timeline({}), "");
}

}  // namespace
}  // namespace strata::report
