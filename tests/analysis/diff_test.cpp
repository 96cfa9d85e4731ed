// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "host/analysis/analyse.hpp"
#include "host/analysis/diff/run_diff.hpp"
#include "host/analysis/layers/any_number.hpp"
#include "tests/analysis/training_run.hpp"

namespace strata::analysis {
namespace {

Facts facts_of(const testing::TrainingOptions& options) {
  Facts facts = analyse(testing::make_training_run(options).recording);
  facts.plugins = {{"allocator_tracer", "ok", ""}};
  return facts;
}

const MeasureChange& measure_of(const std::vector<MeasureChange>& measures, const std::string& name) {
  const auto found = std::ranges::find(measures, name, &MeasureChange::name);
  if (found == measures.end()) throw std::runtime_error("no measure " + name);
  return *found;
}

double total(const std::vector<MeasureChange>& measures, std::string_view begin,
             std::optional<double> MeasureChange::*side) {
  double sum = 0.0;
  for (const MeasureChange& measure : measures) {
    if (measure.name.starts_with(begin)) sum += (measure.*side).value();
  }
  return sum;
}

TEST(AnyNumber, StandsForEachPartThatIsANumber) {
  EXPECT_EQ(with_any_number("layers.3.attn"), "layers.*.attn");
  EXPECT_EQ(with_any_number("layers.12"), "layers.*");
  EXPECT_EQ(with_any_number("layer1.0.conv2"), "layer1.*.conv2");
  EXPECT_EQ(with_any_number("(optimizer)"), "(optimizer)");
  EXPECT_EQ(with_any_number(""), "");
  EXPECT_EQ(with_any_number("7..8."), "*..*.");
}

TEST(RunDiff, OfARunWithItselfIsNothing) {
  const Facts facts = facts_of({});
  const RunDiff diff = diff_runs(facts, facts, {}, {});
  EXPECT_TRUE(diff.allocations.empty());
  for (const MeasureChange& measure : diff.measures) {
    ASSERT_EQ(measure.base.has_value(), measure.now.has_value()) << measure.name;
    EXPECT_EQ(measure.change().value_or(0.0), 0.0) << measure.name;
  }
}

TEST(RunDiff, KnowsWhereOneRunAloneHasLayers) {
  const Facts with = facts_of({.layers = 2});
  Facts without = with;
  for (Block& block : without.blocks) block.layer = 0;
  const RunDiff diff = diff_runs(with, without, {}, {});
  EXPECT_TRUE(diff.base.has_layers);
  EXPECT_FALSE(diff.now.has_layers);
}

// Otherwise a run that recorded no memory would pass a limit on memory.
TEST(RunDiff, OfARunWithoutItsMemoryKnowsNoneOfIt) {
  const Facts base = facts_of({.layers = 2});
  Facts now = base;
  now.plugins.front().status = "failed";
  for (const MeasureChange& measure : diff_runs(base, now, {}, {}).measures) {
    if (measure.name.ends_with("peak_allocated") || measure.name.starts_with("category.")) {
      EXPECT_TRUE(measure.base && !measure.now) << measure.name;
    }
  }
  for (const char* const gate : {"peak_allocated>+2%", "category.Activation>+1MiB"})
    EXPECT_THROW(diff_runs(base, now, {}, {Gate(gate)}), GateError) << gate;
  EXPECT_NO_THROW(diff_runs(base, base, {}, {Gate("peak_allocated>+2%")}));
}

TEST(RunDiff, HoldsNoTimeOfADryRunAgainstAMeasuredOne) {
  const Facts base = facts_of({.layers = 2});
  Facts dry = base;
  dry.dry.emplace();
  const std::vector<Gate> time{Gate("step_time>+5%")}, memory{Gate("peak_allocated>+5%")};
  EXPECT_THROW(diff_runs(base, dry, {}, time), GateError);
  EXPECT_THROW(diff_runs(dry, base, {}, time), GateError);
  EXPECT_NO_THROW(diff_runs(dry, dry, {}, time));
  EXPECT_NO_THROW(diff_runs(base, dry, {}, memory));
}

TEST(RunDiff, EveryWayOfCountingThePeakAddsUpToIt) {
  const Facts base = facts_of({.layers = 2}), now = facts_of({.layers = 5});
  const RunDiff diff = diff_runs(base, now, {}, {});
  for (const auto side : {&MeasureChange::base, &MeasureChange::now}) {
    const double peak = (measure_of(diff.measures, "peak_allocated").*side).value();
    EXPECT_GT(peak, 0.0);
    for (const char* begin : {"category.", "kind.", "layer."})
      EXPECT_EQ(total(diff.measures, begin, side), peak) << begin;
  }
  double change = 0.0;
  for (const BlockGroup& group : diff.allocations) change += static_cast<double>(group.change_bytes());
  EXPECT_EQ(change, measure_of(diff.measures, "peak_allocated").change());
}

// An allocator hands out a larger free piece whole.
TEST(RunDiff, WhatTheAllocatorAddsMakesNoOtherAllocation) {
  const Facts base = facts_of({.layers = 2});
  Facts now = base;
  const auto block = std::ranges::find_if(
      now.blocks, [&](const Block& each) { return each.is_alive_at(now.peak.sequence); });
  ASSERT_NE(block, now.blocks.end());
  block->bytes += 512;
  block->rounding_bytes += 512;
  const RunDiff diff = diff_runs(base, now, {}, {});
  ASSERT_EQ(diff.allocations.size(), 1U);
  EXPECT_EQ(diff.allocations[0].change_bytes(), 512);
  EXPECT_EQ(diff.allocations[0].base_blocks, diff.allocations[0].now_blocks);
}

TEST(RunDiff, LargestChangesComeFirst) {
  const RunDiff diff = diff_runs(facts_of({.layers = 2}), facts_of({.layers = 5}), {}, {});
  ASSERT_GT(diff.allocations.size(), 1U);
  EXPECT_TRUE(std::ranges::is_sorted(diff.allocations, std::ranges::greater{},
                                     [](const BlockGroup& group) { return std::abs(group.change_bytes()); }));
}

TEST(RunDiff, TimesOfPhasesAreMediansOfTheWindowsSteps) {
  const Facts facts = facts_of({.steps = 4});
  std::vector<double> times;
  for (const StepFact& step : facts.steps) {
    if (step.index < facts.first_step || step.index > facts.last_step) continue;
    double time = 0.0;
    for (const PhaseFact& phase : facts.phases) {
      if (phase.step == step.index && phase.name == "forward")
        time += static_cast<double>(phase.end_ns - phase.begin_ns);
    }
    times.push_back(time);
  }
  ASSERT_FALSE(times.empty());
  std::ranges::sort(times);
  const double median = times.size() % 2 == 1 ? times[times.size() / 2]
                                              : (times[times.size() / 2 - 1] + times[times.size() / 2]) / 2;
  const auto measures = compare_measures(facts, facts);
  EXPECT_EQ(measure_of(measures, "phase.forward").base, median);
}

TEST(RunDiff, SaysWhatADocumentNeeds) {
  const Facts base = facts_of({.layers = 2}), now = facts_of({.layers = 3});
  const RunDiff diff = diff_runs(base, now, {{"model.layers", "2", "3"}}, {Gate("peak_allocated>+0%")});
  const auto document = nlohmann::json::parse(
      diff_document(diff, [](const RunDiff&) { return std::vector<std::string>{"a warning"}; }));
  EXPECT_EQ(document["schema"], "strata.diff/1");
  EXPECT_EQ(document["settings"][0]["new"], "3");
  EXPECT_EQ(document["measures"][0]["name"], "peak_allocated");
  EXPECT_EQ(document["measures"][0]["new"].get<std::uint64_t>(), now.peak.allocated_bytes);
  EXPECT_EQ(document["gates"][0]["fails"], true);
  EXPECT_EQ(document["fails"], true);
  EXPECT_EQ(document["warnings"], std::vector<std::string>{"a warning"});
}

std::vector<MeasureChange> two_measures() {
  return {{"peak_allocated", MeasureUnit::kBytes, 1000.0, 1020.0},
          {"step_time", MeasureUnit::kNanoseconds, 2e6, 1e6},
          {"category.Unknown", MeasureUnit::kBytes, 0.0, 0.0},
          {"peak_resident", MeasureUnit::kBytes, 10.0, {}}};
}

struct GateCase {
  const char* expression;
  bool fails;
};
class GateTest : public ::testing::TestWithParam<GateCase> {};

TEST_P(GateTest, FailsBeyondItsLimitAlone) {
  const auto results = Gate(GetParam().expression).check(two_measures());
  ASSERT_EQ(results.size(), 1U);
  EXPECT_EQ(results[0].fails, GetParam().fails) << GetParam().expression;
}

INSTANTIATE_TEST_SUITE_P(
    Limits, GateTest,
    ::testing::Values(GateCase{"peak_allocated>+1%", true}, GateCase{"peak_allocated>+2%", false},
                      GateCase{"peak_allocated > +3 %", false}, GateCase{"peak_allocated>+19B", true},
                      GateCase{"peak_allocated>+20B", false}, GateCase{"peak_allocated>1KiB", false},
                      GateCase{"peak_allocated>1019B", true}, GateCase{"peak_allocated<1KiB", true},
                      GateCase{"step_time<-40%", true}, GateCase{"step_time<-50%", false},
                      GateCase{"step_time>+5us", false}, GateCase{"step_time>0.5ms", true},
                      GateCase{"step_time<-1ms", false}, GateCase{"step_time<-999us", true},
                      GateCase{"category.*>0B", false}));

TEST(GateTest, AStarStandsForAllThatBeginSo) {
  EXPECT_EQ(Gate("category.*>0B").check(two_measures()).size(), 1U);
  EXPECT_EQ(Gate("p*>0B").check({two_measures()[0], two_measures()[0]}).size(), 2U);
}

TEST(GateTest, RefusesWhatItCannotCompare) {
  for (const char* expression :
       {"", "peak_allocated", ">1", "peak_allocated>", "peak_allocated>2%", "peak_allocated>x",
        "peak_allocated>+1MB", "peak_allocated>nan", "peak_allocated>inf", "peak_allocated>1e999"})
    EXPECT_THROW(Gate{expression}, GateError) << expression;
  for (const char* expression : {"peak_alocated>1", "peak_allocated>1ms", "step_time>1GiB",
                                 "peak_resident>1B", "nothing.*>1", "peak_allocated>2", "step_time>+5"})
    EXPECT_THROW(static_cast<void>(Gate(expression).check(two_measures())), GateError) << expression;
}

}  // namespace
}  // namespace strata::analysis
