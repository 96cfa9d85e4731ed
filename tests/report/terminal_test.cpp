// SPDX-License-Identifier: Apache-2.0
#include "host/report/terminal/terminal.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "host/report/terminal/terminal_tables.hpp"
#include "host/report/text.hpp"
#include "tests/report/hostile_facts.hpp"
#include "tests/report/simulated_training.hpp"

namespace strata::report {
namespace {

using analysis::Facts;

std::string read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

void expect_golden(const std::string& name, const std::string& text) {
  const auto path = std::string(GOLDEN_FOLDER) + "/" + name;
  EXPECT_EQ(read(path), text) << "If the change is meant, put this into " << path;
}

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> list;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) list.push_back(line);
  return list;
}

Facts troubled_facts() {
  auto facts = testing::simulate({.steps = 4, .first_active_step = 1, .layers = 4});
  facts.end = analysis::RunEnd::kKilled;
  facts.peak.reserved_bytes += 64U << 20U;
  facts.plugins.push_back({"nvtx_markers", "disabled", "libnvToolsExt was not found"});
  facts.warnings.emplace_back("rank 0: the process died; 3 spools were drained when the run was opened");
  return facts;
}

TEST(TerminalReport, OfATrainingRun) {
  expect_golden("training_80.txt", terminal_report(testing::simulate({}), false, 80));
}

TEST(TerminalReport, OfATrainingRunOnAWideTerminal) {
  expect_golden("training_130.txt", terminal_report(testing::simulate({}), false, 130));
}

TEST(TerminalReport, OfARunThatWasKilled) {
  expect_golden("troubled_80.txt", terminal_report(troubled_facts(), false, 80));
}

TEST(TerminalReport, OfAnEmptyRun) {
  expect_golden("empty_80.txt", terminal_report(Facts{}, false, 80));
}

// From a step other than the peak's, and from none outside the window.
TEST(TerminalReport, SaysWhereMoreWasReservedThanAtThePeak) {
  auto facts = troubled_facts();
  EXPECT_EQ(terminal_report(facts, false, 80).find("at most (step"), std::string::npos);
  facts.steps.at(0).peak_reserved_bytes = std::uint64_t{9} << 30U;
  facts.steps.at(2).peak_reserved_bytes = std::uint64_t{2} << 30U;
  EXPECT_NE(terminal_report(facts, false, 80)
                .find("\n  1,284.2 MiB reserved from the device then, 2,048.0 at most (step 2)\n"),
            std::string::npos);
}

TEST(TerminalReport, ShowsUnknownAtThePeakAlways) {
  const auto facts = testing::simulate({.steps = 2, .first_active_step = 1, .layers = 1});
  ASSERT_EQ(facts.peak.categories.back(), 0U);
  EXPECT_NE(category_bars(facts.peak, {false, 80}).find("\n  Unknown "), std::string::npos);
}

// Facts with failed checks, in a run that contains what they name.
Facts doubted_facts() {
  auto facts = testing::simulate({.steps = 2, .first_active_step = 1, .layers = 1});
  facts.cross_check =
      analysis::CrossCheck{.events = 1000,
                           .events_compared = 990,
                           .mismatches = 3,
                           .first_mismatch = analysis::CrossCheckMismatch{4321, 1'000'000, 1'000'064}};
  facts.truth = analysis::Confusion{.disagreements = {{analysis::Category::kActivation,
                                                       analysis::Category::kTemporary,
                                                       analysis::BlockKind::kSaved,
                                                       analysis::BlockKind::kOpTemp,
                                                       {.blocks = 12, .bytes = 48'000},
                                                       0}},
                                    .compared_blocks = 70,
                                    .saved_blocks = 40};
  return facts;
}

TEST(TerminalReport, SaysWhatDiffersFirst) {
  const auto text = terminal_report(doubted_facts(), false, 240);
  EXPECT_NE(text.find("  checked  3 of 1,000 sums differ from c10's own count, 10 were not compared\n"
                      "           first: after the event of sequence 4321 the categories sum up to "
                      "1,000,000 bytes and c10 counts 1,000,064\n"),
            std::string::npos)
      << text;
  EXPECT_NE(
      text.find("  checked  12 blocks labelled unlike autograd, of 70 compared\n"
                "           most of it: 12 blocks are Activation saved to autograd and Temporary op_temp "
                "by their lifetimes; the first of them, 30,720,000 bytes, by token_embeddings.weight of "
                "token_embeddings\n"),
      std::string::npos)
      << text;
}

TEST(TerminalReport, SaysThatNothingDiffers) {
  auto facts = doubted_facts();
  facts.cross_check.emplace().events = 1000;
  facts.cross_check->events_compared = 1000;
  facts.truth->disagreements.clear();
  const auto text = terminal_report(facts, false, 80);
  EXPECT_NE(text.find("  checked  all 1,000 sums equal c10's own count\n"
                      "  checked  0 blocks labelled unlike autograd, of 70 compared\n\n"),
            std::string::npos)
      << text;
}

TEST(TerminalReport, SaysThatACheckHadNoAnswer) {
  Facts facts;
  facts.cross_check.emplace().events = 1000;
  facts.truth.emplace();
  const auto text = terminal_report(facts, true, 80);
  EXPECT_NE(text.find("\x1b[1;31mnone of 1,000 sums was compared with c10's own count"), std::string::npos)
      << text;
  EXPECT_NE(text.find("\x1b[1;31m0 blocks labelled unlike autograd, of 0 compared; it saved none"),
            std::string::npos)
      << text;
}

TEST(TerminalReport, TakesNoPaceFromAStepThatWasCutShort) {
  Facts facts;
  facts.steps.resize(2);
  facts.steps[0].end_ns = facts.steps[1].end_ns = 5;
  EXPECT_NE(terminal_report(facts, false, 80).find("  steps    no step ended in the window\n"),
            std::string::npos);
  facts.pace = {.complete_steps = 1, .median_step_ns = 2.5e9, .tokens_per_second = 1999.5};
  EXPECT_NE(terminal_report(facts, false, 80)
                .find("  steps    1 of 2 in the window, median 2.50 s, 2,000 tokens/s on average\n"),
            std::string::npos);
}

TEST(TerminalReport, SaysWhatStepsCount) {
  Facts facts;
  facts.pace = {.complete_steps = 1, .median_step_ns = 2.5e9, .tokens_per_second = 12.0};
  EXPECT_NE(terminal_report(facts, false, 80).find(", 12 tokens/s on average\n"), std::string::npos);
  facts.unit = "images";
  EXPECT_NE(terminal_report(facts, false, 80).find(", 12 images/s on average\n"), std::string::npos);
}

TEST(TerminalReport, KeepsToItsWidthWhateverTheNames) {
  for (const int width : {80, 100, 123, 124, 130, 200}) {
    for (const auto& facts : {testing::hostile_facts(), troubled_facts(), doubted_facts(), Facts{}}) {
      for (const auto& line : lines(terminal_report(facts, false, width))) {
        EXPECT_LE(columns(line), width) << line;
        EXPECT_EQ(printable(line), line);
        EXPECT_FALSE(line.ends_with(' ')) << line;
      }
    }
  }
}

TEST(TerminalReport, IsNeverNarrowerThanItsNarrowest) {
  const auto facts = testing::simulate({.steps = 2, .first_active_step = 1, .layers = 1});
  EXPECT_EQ(terminal_report(facts, false, 10), terminal_report(facts, false, kNarrowestTerminal));
}

// Every escape sequence is one of our colours: nothing of a hostile name appears.
TEST(TerminalReport, AddsColoursAndNothingElse) {
  for (const auto& facts : {testing::hostile_facts(), troubled_facts()}) {
    const auto coloured = terminal_report(facts, true, 80);
    std::string without;
    for (std::size_t i = 0; i < coloured.size(); ++i) {
      if (coloured[i] != '\x1b') {
        without += coloured[i];
        continue;
      }
      const auto end = coloured.find_first_not_of("0123456789;", i + 2);
      ASSERT_EQ(coloured[i + 1], '[');
      ASSERT_EQ(coloured[end], 'm');
      i = end;
    }
    EXPECT_NE(coloured, without);
    EXPECT_EQ(without, terminal_report(facts, false, 80));
  }
}

TEST(Bar, ShowsAnyPartAboveNothing) {
  EXPECT_EQ(bar(0, 100, 4), "    ");
  EXPECT_EQ(bar(1, 1'000'000, 4), "▏   ");
  EXPECT_EQ(bar(50, 100, 4), "██  ");
  EXPECT_EQ(bar(100, 100, 4), "████");
  EXPECT_EQ(bar(5, 0, 4), "▏   ");
}

}  // namespace
}  // namespace strata::report
