// SPDX-License-Identifier: Apache-2.0
#include "host/report/page_data/page.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "host/report/page_data/page_data.hpp"
#include "host/report/text.hpp"
#include "tests/report/hostile_facts.hpp"
#include "tests/report/simulated_training.hpp"

namespace strata::report {
namespace {

using analysis::Facts;
using nlohmann::json;

TEST(PageData, PlacesStepsPhasesAndThePeakAmongTheEvents) {
  const auto facts = testing::simulate({.steps = 3, .first_active_step = 1, .layers = 2});
  const auto data = json::parse(page_data(facts).facts);
  EXPECT_EQ(data["events"]["count"], facts.points.size());
  EXPECT_EQ(data["peak"]["allocated_bytes"], facts.peak.allocated_bytes);
  EXPECT_EQ(data["peak"]["ns"], facts.peak.ns - facts.begin_ns);
  const auto state = data["peak"]["state"].get<std::size_t>();
  EXPECT_EQ(facts.points.at(state - 1).sequence, facts.peak.sequence);
  ASSERT_EQ(data["steps"].size(), 3U);
  const auto begin = data["steps"][1][9].get<std::size_t>(), end = data["steps"][1][10].get<std::size_t>();
  EXPECT_GE(facts.points.at(begin).sequence, facts.steps[1].begin_sequence);
  EXPECT_LE(facts.points.at(end - 1).sequence, facts.steps[1].end_sequence);
  EXPECT_EQ(data["steps"][2][9], end);
}

TEST(PageData, StaysBelowItsBoundAtAMillionEvents) {
  const auto facts = testing::simulate({.steps = 1080, .first_active_step = 10});
  ASSERT_GT(facts.points.size(), 1'000'000U);
  const PageData data = page_data(facts);
  EXPECT_LT(data.facts.size(), 3'000'000U);
  EXPECT_LT(data.events.size(), 6'000'000U);
}

// Every category changes at every event, by amounts of eleven digits; phases and steps exceed their limits.
TEST(PageData, StaysBelowItsBoundForTheWorstOfRuns) {
  Facts facts;
  std::uint64_t state = 1;
  const auto random = [&] { return state = state * 6364136223846793005U + 1442695040888963407U; };
  for (std::int64_t i = 0; i < 200'000; ++i) {
    analysis::Point point{static_cast<std::uint64_t>(i + 1), i * 1'000'003, {}};
    for (auto& bytes : point.bytes) bytes = random() % 20'000'000'000U;
    facts.points.push_back(point);
  }
  for (std::int64_t i = 0; i < 30'000; ++i) {
    analysis::StepFact step;
    step.index = i;
    step.begin_ns = i * 6'000'000;
    step.end_ns = step.begin_ns + 5'000'000;
    step.begin_sequence = static_cast<std::uint64_t>(i * 6 + 1);
    step.end_sequence = step.begin_sequence + 4;
    step.loss = 1.0 / static_cast<double>(i + 3);
    facts.steps.push_back(step);
    analysis::PhaseFact phase;
    phase.name = "phase";
    phase.step = i;
    phase.begin_ns = step.begin_ns;
    phase.end_ns = step.end_ns;
    facts.phases.push_back(phase);
  }
  // The peak's step: twenty thousand events.
  facts.steps.back().end_ns = facts.points.back().ns;
  facts.steps.back().end_sequence = facts.points.back().sequence;
  facts.peak.step = 29'999;
  const auto text = page_data(facts).facts;
  EXPECT_LT(text.size(), 3'000'000U);
  const auto data = json::parse(text);
  EXPECT_EQ(data["steps"].back()[0], 29'999);
  EXPECT_EQ(data["left_out"]["steps"].get<std::size_t>() + data["steps"].size(), facts.steps.size());
}

// Facts about the whole run do not depend on the part that the page holds.
TEST(PageData, SaysTheWindowAndThePaceOfARunBeyondItsLimits) {
  const auto facts = testing::simulate({.steps = 3500, .first_active_step = 1750, .layers = 0});
  const auto data = json::parse(page_data(facts).facts);
  EXPECT_EQ(data["run"]["steps"], 3500);
  EXPECT_EQ(data["run"]["complete_steps"], 1750);
  EXPECT_EQ(data["run"]["median_step_ns"], *facts.pace.median_step_ns);
  EXPECT_EQ(data["run"]["tokens_per_second"], *facts.pace.tokens_per_second);
  EXPECT_EQ(data["run"]["window_begin_ns"], facts.steps[1750].begin_ns - facts.begin_ns);
  EXPECT_EQ(data["run"]["window_end_ns"], facts.steps[3499].end_ns - facts.begin_ns);

  const auto first = data["steps"].front()[0].get<std::size_t>();
  const auto last = data["steps"].back()[0].get<std::size_t>();
  ASSERT_GT(first, 0U);
  ASSERT_LT(last, 3499U);
  EXPECT_EQ(data["kept"]["steps"][0], facts.steps[first].begin_ns - facts.begin_ns);
  EXPECT_EQ(data["kept"]["steps"][1], facts.steps[last + 1].begin_ns - facts.begin_ns);
  ASSERT_EQ(data["phases"]["list"].size() + data["left_out"]["phases"].get<std::size_t>(),
            facts.phases.size());
  EXPECT_EQ(data["kept"]["phases"][0], data["phases"]["list"].front()[5]);
  EXPECT_GE(data["kept"]["phases"][1], data["phases"]["list"].back()[6]);
}

TEST(PageData, SaysWhatStepsCount) {
  Facts facts;
  EXPECT_EQ(json::parse(page_data(facts).facts)["run"]["unit"], "tokens");
  facts.unit = "images";
  EXPECT_EQ(json::parse(page_data(facts).facts)["run"]["unit"], "images");
}

TEST(PageData, KeepsAllOfAShortRun) {
  const auto data =
      json::parse(page_data(testing::simulate({.steps = 3, .first_active_step = 1, .layers = 1})).facts);
  EXPECT_EQ(data["kept"]["steps"], json({0, data["run"]["duration_ns"]}));
  EXPECT_EQ(data["kept"]["phases"], json({0, data["run"]["duration_ns"]}));
}

TEST(PageData, SaysWhichStepWasCutShort) {
  auto facts = testing::simulate({.steps = 2, .first_active_step = 0, .layers = 1});
  facts.steps[1].complete = false;
  const auto data = json::parse(page_data(facts).facts);
  EXPECT_EQ(data["steps"][0][8], true);
  EXPECT_EQ(data["steps"][1][8], false);
}

TEST(PageData, CountsInItsChecksWhatWasCompared) {
  Facts facts;
  facts.cross_check.emplace().events = 12;
  facts.truth.emplace().compared_blocks = 9;
  facts.truth->saved_blocks = 5;
  const auto checks = json::parse(page_data(facts).facts)["checks"];
  EXPECT_EQ(checks[0], json({"Sums equal to c10's own count", 0, 12, false}));
  EXPECT_EQ(checks[1], json({"Compared blocks labelled as autograd does", 9, 9, true}));
}

TEST(PageData, CannotEndItsElementAndIsValidText) {
  const auto text = page_data(testing::hostile_facts()).facts;
  EXPECT_EQ(text.find('<'), std::string::npos);
  const auto data = json::parse(text);
  EXPECT_EQ(data["run"]["name"], testing::hostile_names()[0]);
  EXPECT_LT(data["warnings"].back().get<std::string>().size(), 400U);
  for (const auto& warning : data["warnings"]) {
    // A second pass finds no invalid byte to replace.
    EXPECT_EQ(json::parse(warning.dump()), warning);
  }
}

TEST(PageData, OfAnEmptyRunHasEveryPart) {
  const auto data = json::parse(page_data(Facts{}).facts);
  EXPECT_EQ(data["categories"].size(), analysis::kCategories);
  EXPECT_EQ(data["run"]["events"], 0);
  EXPECT_EQ(data["events"]["count"], 0);
}

TEST(Page, CarriesItsDataBetweenStyleAndScripts) {
  const auto facts = testing::simulate({.steps = 2, .first_active_step = 1, .layers = 1});
  const auto text = page(facts);
  EXPECT_TRUE(text.starts_with("<!doctype html>"));
  EXPECT_TRUE(text.ends_with("</html>\n"));
  const PageData data = page_data(facts);
  EXPECT_NE(text.find(data.facts), std::string::npos);
  EXPECT_NE(text.find(data.events), std::string::npos);
  EXPECT_NE(text.find("d3js.org"), std::string::npos) << "the library's licence banner";
  EXPECT_NE(text.find("Neither the name of the University"), std::string::npos)
      << "and its licence, third_party/licences/LICENSE-d3";
  EXPECT_LT(text.size(), 1'000'000U);
}

TEST(Page, RefersToNothingOutsideOfItself) {
  auto text = page(Facts{});
  // A reader may follow the link; the page does not load it.
  constexpr std::string_view kWayOut = R"(<a href="https://ui.perfetto.dev")";
  ASSERT_NE(text.find(kWayOut), std::string::npos);
  text.erase(text.find(kWayOut), kWayOut.size());
  for (const auto* reference : {" src=", "href=", "@import", "url(http", "url(//", "<link", "<iframe"}) {
    EXPECT_EQ(text.find(reference), std::string::npos) << reference;
  }
}

}  // namespace
}  // namespace strata::report
