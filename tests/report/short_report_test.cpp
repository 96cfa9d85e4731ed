// SPDX-License-Identifier: Apache-2.0
#include "host/report/terminal/short_report.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "host/analysis/facts/category.hpp"
#include "host/report/text.hpp"
#include "tests/report/hostile_facts.hpp"
#include "tests/report/simulated_training.hpp"

namespace strata::report {
namespace {

using analysis::Facts;

std::size_t times_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

std::size_t line_count(const std::string& text) {
  return static_cast<std::size_t>(std::ranges::count(text, '\n'));
}

Facts ran_out() {
  Facts facts = testing::simulate({.steps = 4, .first_active_step = 1, .layers = 4});
  facts.end = analysis::RunEnd::kOutOfMemory;
  analysis::OutOfMemory failure;
  failure.requested_bytes = std::uint64_t{384} << 20U;
  failure.device_free_bytes = std::uint64_t{30} << 20U;
  failure.held = facts.peak;
  failure.findings.resize(5);
  for (std::size_t i = 0; i < failure.findings.size(); ++i) {
    failure.findings[i].kind = analysis::FindingKind::kHeldByProgram;
    failure.findings[i].detail = analysis::HeldFinding{.maker = {"op" + std::to_string(i), ""}};
    failure.findings[i].bytes = (9 - i) << 27U;
  }
  facts.is_configured = false;
  facts.command = "python train.py 16 1";
  facts.dry.emplace();
  facts.dry->profile = "rtx-4090";
  facts.out_of_memory.push_back(failure);
  return facts;
}

TEST(ShortReport, IsOneScreenAndSaysWhatWhereWhyAndWhatNext) {
  const std::string text = short_report(testing::simulate({}), "runs/a b", false, 80);
  EXPECT_LE(line_count(text), kShortReportLines);
  EXPECT_TRUE(text.starts_with("Peak 2,828.2 MiB at step 3, backward\n"));
  std::size_t last = 0;
  for (const char* const part : {"What it was\n  Activation", "\nWhere ", "\nWhy then\n", "\nNext\n"}) {
    const std::size_t at = text.find(part);
    ASSERT_NE(at, std::string::npos) << part << text;
    EXPECT_GT(at, last);
    last = at;
  }
  EXPECT_NE(short_report(testing::simulate({}), "out", false, 130).find("since the step began +1,680.4 MiB"),
            std::string::npos);
  EXPECT_NE(text.find("strata report 'runs/a b' --shapes\n"), std::string::npos);
}

TEST(ShortReport, SaysEachFactOnce) {
  const std::string text = short_report(testing::simulate({}), "out", false, 80);
  for (const char* const part : {"2,828.2", "56.4%", "Unknown  ", "median", "--shapes"})
    EXPECT_EQ(times_of(text, part), 1U) << part;
}

TEST(ShortReport, SaysNoTimeWhereNoneWasMeasured) {
  Facts facts = testing::simulate({});
  EXPECT_NE(short_report(facts, "out", false, 80).find("6 of 9 steps, median 23.2 ms"), std::string::npos);
  facts.dry.emplace();
  facts.dry->name = "NVIDIA A100";
  facts.dry->memory_bytes = std::uint64_t{40} << 30U;
  const std::string dry = short_report(facts, "out", false, 80);
  for (const char* const unit : {" ms", " s ", " µs", "median", "tokens"})
    EXPECT_EQ(dry.find(unit), std::string::npos) << unit;
  EXPECT_NE(dry.find("of 40,960.0 MiB\n"), std::string::npos);
  facts.dry->modelled_clock.emplace();
  EXPECT_NE(short_report(facts, "out", false, 80).find("by the modelled clock"), std::string::npos);
}

TEST(ShortReport, SaysWhatMemoryRanOutForAndTheLargestFindings) {
  const std::string text = short_report(ran_out(), "out", false, 80);
  EXPECT_LE(line_count(text), kShortReportLines) << text;
  EXPECT_TRUE(text.starts_with("Out of memory\n  384.0 MiB asked for")) << text;
  EXPECT_EQ(times_of(text, "The program holds what op"), 3U);
  EXPECT_NE(text.find("\nWhat the recording shows\n      1,152.0 MiB  The program holds what op0 made"),
            std::string::npos)
      << text;
  EXPECT_EQ(text.find("ended:"), std::string::npos);
  EXPECT_TRUE(
      text.ends_with("\nWhat would make it fit: strata advise --device rtx-4090 -- python train.py 16 1\n"))
      << text;
}

TEST(ShortReport, SaysWhatWentWrong) {
  Facts facts = testing::simulate({.steps = 4, .first_active_step = 1, .layers = 4});
  facts.end = analysis::RunEnd::kKilled;
  facts.plugins.push_back({"nvtx_markers", "disabled", "libnvToolsExt was not found"});
  for (const char* const warning : {"one thing", "another", "a third"}) facts.warnings.emplace_back(warning);
  const std::string text = short_report(facts, "out", false, 80);
  EXPECT_NE(text.find("  ended: killed\n"), std::string::npos);
  EXPECT_NE(text.find("plugin nvtx_markers is disabled: libnvToolsExt was not found"), std::string::npos);
  EXPECT_NE(text.find("  2 more with --detail\n"), std::string::npos);
  EXPECT_LE(line_count(text), kShortReportLines) << text;
}

TEST(ShortReport, KeepsToTheWidthAndPrintsNoStrangersControls) {
  for (const int width : {80, 130}) {
    const std::string text = short_report(testing::hostile_facts(), "out", false, width);
    EXPECT_EQ(text.find('\x1b'), std::string::npos);
    for (std::size_t begin = 0; begin < text.size(); begin = text.find('\n', begin) + 1)
      EXPECT_LE(columns(text.substr(begin, text.find('\n', begin) - begin)), width);
  }
}

TEST(ShortReport, SaysWhyThereIsNoMemory) {
  EXPECT_NE(short_report(Facts{}, "out", false, 80).find("No allocation was recorded"), std::string::npos);
}

TEST(VerdictLine, IsOneLine) {
  EXPECT_EQ(verdict_line(testing::simulate({}), false, 80),
            "Peak 2,828.2 MiB, 56.4% of it Activation; every byte has a category.\n");
  EXPECT_EQ(verdict_line(ran_out(), false, 80),
            "Out of memory: 384.0 MiB asked for, 30.0 MiB left on the device.\n");
  Facts facts = testing::simulate({});
  facts.peak.categories.back() = std::uint64_t{3} << 20U;
  EXPECT_EQ(verdict_line(facts, false, 120),
            "Peak 2,828.2 MiB, 56.4% of it Activation; 3.0 MiB of it unknown.\n");
}

}  // namespace
}  // namespace strata::report
