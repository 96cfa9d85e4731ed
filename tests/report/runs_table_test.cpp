// SPDX-License-Identifier: Apache-2.0
#include "host/report/terminal/tables.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "host/report/text.hpp"
#include "host/report/words/sentences.hpp"
#include "tests/report/hostile_facts.hpp"
#include "tests/report/simulated_training.hpp"

namespace strata::report {
namespace {

using analysis::Facts;
using analysis::Gate;
using analysis::RunDiff;
using ::testing::HasSubstr;
using ::testing::Not;

std::vector<RunDiff> diffs_of(const Facts& base, const std::vector<Facts>& others,
                              const std::vector<Gate>& gates = {}) {
  std::vector<RunDiff> diffs;
  diffs.reserve(others.size());
  for (const Facts& other : others)
    diffs.push_back(
        diff_runs(base, other, {{testing::hostile_names()[0], "", std::string(5000, 'x')}}, gates));
  return diffs;
}

TEST(RunsTable, KeepsToItsWidthWhateverTheNames) {
  const Facts training = testing::simulate({}), larger = testing::simulate({.layers = 24, .width = 1024});
  const auto diffs =
      diffs_of(training, {larger, testing::hostile_facts(), training, Facts{}, larger, larger, larger});
  for (const int width : {80, 100, 131, 200}) {
    std::istringstream text(runs_table(diffs, false, width));
    for (std::string line; std::getline(text, line);) {
      EXPECT_LE(columns(line), width) << line;
      EXPECT_EQ(printable(line), line);
      EXPECT_FALSE(line.ends_with(' ')) << line;
    }
  }
}

TEST(RunsTable, EachRunHasItsColumnAndItsChange) {
  Facts base = testing::simulate({}), half = base, same = base;
  base.peak.allocated_bytes = 400U << 20U;
  same.peak.allocated_bytes = 400U << 20U;
  half.peak.allocated_bytes = 200U << 20U;
  auto diffs = diffs_of(base, {half, same});
  for (RunDiff& diff : diffs) {
    diff.measures = {{"peak_allocated", analysis::MeasureUnit::kBytes, 400.0 * (1 << 20),
                      &diff == diffs.data() ? 200.0 * (1 << 20) : 400.0 * (1 << 20)}};
  }
  const std::string text = runs_table(diffs, false, 80);
  EXPECT_THAT(text, HasSubstr("  allocated                   400.0        200.0        400.0\n"));
  EXPECT_THAT(text, HasSubstr("                                        -50.0%\n"));
}

TEST(RunsTable, HeadsAreTheRunsShortNamesWhereTheyTellThemApart) {
  auto diffs = diffs_of(testing::simulate({}), {testing::simulate({}), testing::simulate({})});
  for (std::size_t at = 0; at != diffs.size(); ++at) {
    diffs[at].base.directory = "/a/runs/adamw/20261126T101500Z";
    diffs[at].base.peak_phase = "backward";
    diffs[at].now.directory = at == 0 ? "/a/runs/sgd/20261126T101500Z" : "/a/runs/adam8bit/20261126T101500Z";
    diffs[at].now.peak_phase = at == 0 ? "forward" : "AdamW.step";
  }
  const std::string text = runs_table(diffs, false, 80);
  EXPECT_THAT(text, HasSubstr("Peak, MiB                   1 adamw        2 sgd   3 adam8bit\n"));
  EXPECT_THAT(text, HasSubstr("  in                       backward      forward   AdamW.step\n"));
  EXPECT_THAT(text, Not(HasSubstr("of step")));
  diffs[0].base.peak_step = diffs[1].base.peak_step = diffs[1].now.peak_step = 1;
  diffs[0].now.peak_step = 0;
  EXPECT_THAT(runs_table(diffs, false, 80),
              HasSubstr("  of step                         1            0            1\n"));
  diffs[1].now.directory = diffs[0].now.directory;
  EXPECT_THAT(runs_table(diffs, false, 80),
              HasSubstr("Peak, MiB                         1            2            3\n"));
}

// The first comparison lacks a measure that neither of its runs has.
TEST(RunsTable, WhatTheLastRunAloneHasIsARow) {
  const Facts training = testing::simulate({});
  auto diffs = diffs_of(training, {training, training, training, training, training, training});
  for (RunDiff& diff : diffs) diff.measures.clear();
  diffs.back().measures = {{"category.Gradient", analysis::MeasureUnit::kBytes, 0.0, 512.0 * (1 << 20)}};
  const std::string text = runs_table(diffs, false, 80);
  EXPECT_THAT(text, HasSubstr("  Gradient"));
  EXPECT_THAT(text, HasSubstr("512.0"));
  EXPECT_THAT(text, HasSubstr("new"));
}

TEST(RunsTable, ADryRunsTimeIsNotCompared) {
  Facts training = testing::simulate({});
  EXPECT_THAT(runs_table(diffs_of(training, {training, training}), false, 80), HasSubstr("Time a step"));
  Facts dry = training;
  dry.dry.emplace();
  const auto diffs = diffs_of(training, {training, dry});
  const std::string plain = runs_table(diffs, false, 80);
  EXPECT_THAT(plain, Not(HasSubstr("Time a step")));
  EXPECT_THAT(plain, Not(HasSubstr("times"))) << "nothing is shown that it would warn of";
  EXPECT_FALSE(time_warning(diffs.back()).empty());
  training.dry.emplace();
  EXPECT_THAT(runs_table(diffs_of(training, {training, dry}, {Gate("step_time>+5%")}), false, 80),
              HasSubstr("times are only the host's"));
}

TEST(RunsTable, ColourAddsNothingElse) {
  const Facts training = testing::simulate({}), larger = testing::simulate({.layers = 24});
  const auto diffs = diffs_of(training, {larger, training}, {Gate("peak_allocated>+1%")});
  std::string coloured = runs_table(diffs, true, 100);
  for (std::size_t at = coloured.find('\x1b'); at != std::string::npos; at = coloured.find('\x1b'))
    coloured.erase(at, coloured.find('m', at) - at + 1);
  const std::string plain = runs_table(diffs, false, 100);
  EXPECT_EQ(coloured, plain);
  EXPECT_THAT(plain, HasSubstr("  2  FAIL  peak_allocated>+1%"));
  EXPECT_THAT(plain, HasSubstr("  3  pass  peak_allocated>+1%"));
}

}  // namespace
}  // namespace strata::report
