#include "host/report/page.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>

#include "host/report/page_data.hpp"
#include "host/report/text.hpp"
#include "tests/report/hostile_facts.hpp"
#include "tests/report/simulated_training.hpp"
#include "tests/temporary_folder.hpp"

namespace strata::report {
namespace {

using analysis::Facts;
using nlohmann::json;

std::size_t files_in(const test::TemporaryFolder& folder) {
  return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder.path()),
                                                std::filesystem::directory_iterator()));
}

std::string read(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::vector<std::int64_t> sums(const json& differences) {
  std::vector<std::int64_t> values;
  for (const auto& difference : differences) {
    values.push_back((values.empty() ? 0 : values.back()) + difference.get<std::int64_t>());
  }
  return values;
}

TEST(PageData, HoldsEveryPointOfAShortRun) {
  const auto facts = testing::simulate({.steps = 3, .first_active_step = 1, .layers = 2});
  const auto data = json::parse(page_data(facts));
  const auto ns = sums(data["timeline"]["ns"]);
  ASSERT_EQ(ns.size(), facts.points.size() + 1);
  for (std::size_t category = 0; category < analysis::kCategories; ++category) {
    const auto bytes = sums(data["timeline"]["bytes"][category]);
    for (std::size_t i = 0; i < facts.points.size(); ++i) {
      ASSERT_EQ(static_cast<std::uint64_t>(bytes[i + 1]), facts.points[i].bytes.at(category));
      ASSERT_EQ(ns[i + 1], facts.points[i].ns - facts.begin_ns);
    }
  }
  EXPECT_EQ(data["peak"]["allocated_bytes"], facts.peak.allocated_bytes);
  EXPECT_EQ(data["peak"]["ns"], facts.peak.ns - facts.begin_ns);
  EXPECT_EQ(data["steps"].size(), 3U);
}

TEST(PageData, StaysBelowItsBoundAtAMillionEvents) {
  const auto facts = testing::simulate({.steps = 1080, .first_active_step = 10});
  ASSERT_GT(facts.points.size(), 1'000'000U);
  EXPECT_LT(page_data(facts).size(), 3'000'000U);
}

// Every category changes at every event, by amounts of eleven digits; phases and steps beyond their limits.
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
    step.loss = 1.0 / static_cast<double>(i + 3);
    facts.steps.push_back(step);
    analysis::PhaseFact phase;
    phase.name = "phase";
    phase.step = i;
    phase.begin_ns = step.begin_ns;
    phase.end_ns = step.end_ns;
    facts.phases.push_back(phase);
  }
  facts.steps.back().end_ns = facts.points.back().ns;  // the peak's step: twenty thousand events
  facts.peak.step = 29'999;
  const auto text = page_data(facts);
  EXPECT_LT(text.size(), 3'000'000U);
  const auto data = json::parse(text);
  EXPECT_EQ(data["steps"].back()[0], 29'999);
  EXPECT_EQ(data["left_out"]["steps"].get<std::size_t>() + data["steps"].size(), facts.steps.size());
}

TEST(PageData, CannotEndItsElementAndIsValidText) {
  const auto text = page_data(testing::hostile_facts());
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
  const auto data = json::parse(page_data(Facts{}));
  EXPECT_EQ(data["categories"].size(), analysis::kCategories);
  EXPECT_EQ(data["run"]["events"], 0);
  EXPECT_EQ(data["timeline"]["ns"].size(), 1U);
}

TEST(WritePage, CarriesItsDataBetweenStyleAndScripts) {
  const test::TemporaryFolder folder;
  const auto facts = testing::simulate({.steps = 2, .first_active_step = 1, .layers = 1});
  write_page(facts, folder.path() / "report.html");
  const auto page = read(folder.path() / "report.html");
  EXPECT_TRUE(page.starts_with("<!doctype html>"));
  EXPECT_NE(page.find(page_data(facts)), std::string::npos);
  EXPECT_NE(page.find("d3js.org"), std::string::npos) << "the library's licence banner";
  EXPECT_LT(page.size(), 1'000'000U);
}

TEST(WritePage, RefersToNothingOutsideOfItself) {
  const test::TemporaryFolder folder;
  write_page(Facts{}, folder.path() / "report.html");
  const auto page = read(folder.path() / "report.html");
  for (const auto* reference : {" src=", "href=", "@import", "url(http", "url(//", "<link", "<iframe"}) {
    EXPECT_EQ(page.find(reference), std::string::npos) << reference;
  }
}

TEST(WritePage, ReplacesAnOldPageAndLeavesNothingBesideIt) {
  const test::TemporaryFolder folder;
  std::ofstream(folder.path() / "report.html") << "old";
  write_page(Facts{}, folder.path() / "report.html");
  EXPECT_NE(read(folder.path() / "report.html"), "old");
  EXPECT_EQ(files_in(folder), 1U);
}

TEST(WritePage, SaysWhereItFailed) {
  const test::TemporaryFolder folder;
  const auto missing = folder.path() / "missing" / "report.html";
  try {
    write_page(Facts{}, missing);
    FAIL() << "a page was written into a folder that does not exist";
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find(missing.string()), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("No such file"), std::string::npos) << error.what();
  }
}

TEST(WritePage, LeavesNothingBehindWhenItCannotBeRenamed) {
  const test::TemporaryFolder folder;
  std::filesystem::create_directories(folder.path() / "report.html" / "in_the_way");
  EXPECT_THROW(write_page(Facts{}, folder.path() / "report.html"), std::runtime_error);
  EXPECT_EQ(files_in(folder), 1U);
}

}  // namespace
}  // namespace strata::report
