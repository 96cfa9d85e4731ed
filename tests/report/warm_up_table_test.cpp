// SPDX-License-Identifier: Apache-2.0
#include "host/report/terminal/tables.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include "host/report/terminal/step_drawing.hpp"
#include "host/report/text.hpp"
#include "tests/report/simulated_training.hpp"

namespace strata::report {
namespace {

using analysis::Cause;
using analysis::Course;
using analysis::Facts;
using analysis::ProofKind;

Facts warmed_up() {
  Facts facts = testing::simulate({.steps = 9, .first_active_step = 3, .layers = 1});
  facts.steady_state = {.course = Course::kWarmUp,
                        .steps = 30,
                        .first_step = 1,
                        .warm_up_steps = 1,
                        .excess_ns = 400e6,
                        .median_ns = 12e6,
                        .median_low_ns = 11.9e6,
                        .median_high_ns = 12.1e6,
                        .mean_all_ns = 25e6,
                        .mean_steady_ns = 12.5e6,
                        .unusual_ns = 13e6,
                        .over_twice = 2,
                        .longest = analysis::TimedStep{17, 120e6},
                        .first_over_median = 34.3,
                        .segments = {}};
  facts.warm_up.is_recorded = true;
  facts.warm_up.reference_steps = 29;
  analysis::SlowStep step;
  step.step = 0;
  step.ns = 412e6;
  step.excess_ns = 400e6;
  step.causes = {{Cause::kDataLoader,
                  300e6,
                  1,
                  {{.kind = ProofKind::kPhaseTime, .name = "data", .ns = 301e6, .usual_ns = 1e6}}},
                 {Cause::kPageFaults,
                  60e6,
                  30'000,
                  {{.kind = ProofKind::kFaultsEstimated, .name = "forward", .more = 30'000.0, .ns = 2e3}}}};
  step.unattributed_ns = 40e6;
  step.phases = {{"data", 301e6, 300e6}, {"forward", 70e6, 60e6}};
  facts.warm_up.steps = {step};
  facts.warm_up.causes = step.causes;
  facts.warm_up.excess_ns = 400e6;
  facts.warm_up.unattributed_ns = 40e6;
  facts.warm_up.not_recorded = {analysis::Detector::kActivities};
  return facts;
}

bool holds(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

TEST(WarmUpReport, TellsCausesTimesProofsAndWhatIsLeft) {
  const std::string text = warm_up_report(warmed_up(), false, 100);
  EXPECT_TRUE(
      holds(text,
            "from step 1 on: 29 steps, 12.0 ms in the median (95%: 11.9 ms to 12.1 ms); 2 of them took more\n"
            "  than twice that, 10.0 times in step 17; 1 step of warm-up took 400.0 ms more"))
      << text;
  EXPECT_TRUE(holds(text, "  < 300.0 ms   75.0%  data loader start\n")) << text;
  EXPECT_TRUE(holds(text, "  ~  60.0 ms   15.0%  page faults\n")) << text;
  EXPECT_TRUE(holds(text, "     40.0 ms   10.0%  not attributed\n")) << text;
  EXPECT_TRUE(holds(text, "data took 301.0 ms, 1.0 ms in steady steps\n")) << text;
  EXPECT_TRUE(holds(text, "Not looked for, as no activity of a device's driver was recorded: CUDA context;"))
      << text;
}

TEST(SteadySentence, OfASlowDownSaysWhatTheStepsBeforeTook) {
  Facts facts = warmed_up();
  facts.steady_state.course = Course::kSlowDown;
  facts.steady_state.first_step = facts.steady_state.warm_up_steps = 5;
  facts.steady_state.excess_ns = -3e6;
  EXPECT_TRUE(holds(steady_sentence(facts), "from step 5 on: 25 steps, 12.0 ms")) << steady_sentence(facts);
  EXPECT_TRUE(steady_sentence(facts).ends_with("; 5 steps before took 3.0 ms less"));
  facts.steady_state.excess_ns = 168e9;
  EXPECT_TRUE(
      steady_sentence(facts).ends_with("; 5 steps before took 168.00 s more, though some were faster"));
}

TEST(WarmUpReport, FitsItsWidth) {
  for (const int width : {80, 100, 133}) {
    std::istringstream lines(warm_up_report(warmed_up(), false, width));
    for (std::string line; std::getline(lines, line);) EXPECT_LE(columns(line), width) << line;
  }
}

TEST(WarmUpReport, OfARunWithoutThePluginSaysWhatToLoad) {
  Facts facts = warmed_up();
  facts.warm_up = {};
  EXPECT_TRUE(holds(warm_up_report(facts, false, 133), "warmup_analyzer was not loaded"));
  EXPECT_EQ(short_warm_up(facts, {false, 80}), "");
}

TEST(WarmUpReport, NamesThatDoNotBelongOnATerminalAreMadeSafe) {
  Facts facts = warmed_up();
  facts.warm_up.steps[0].causes[0].proofs = {
      {.kind = ProofKind::kLibraries, .count = 1, .libraries = {"\x1b[2Jevil.so"}}};
  facts.warm_up.steps[0].phases[0].name = "da\rta";
  const std::string text = warm_up_report(facts, false, 80);
  EXPECT_FALSE(holds(text, "\x1b"));
  EXPECT_FALSE(holds(text, "\r"));
}

TEST(WarmUpReport, OfAnEmptyRunSaysSo) {
  EXPECT_TRUE(holds(warm_up_report(Facts{}, false, 80), "Fewer than two steps"));
}

TEST(StepDrawing, MarksWhereTheSteadyStepsBegin) {
  const std::string text = step_drawing(warmed_up(), 60);
  EXPECT_TRUE(holds(text, "\n   ^ steady from step 1\n")) << text;
}

}  // namespace
}  // namespace strata::report
