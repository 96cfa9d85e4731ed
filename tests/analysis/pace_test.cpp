// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/steps/pace.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "host/analysis/analyse.hpp"
#include "strata/ext/step.h"
#include "tests/analysis/run_builder.hpp"

namespace strata::analysis {
namespace {

StepFact step_of(std::int64_t index, std::int64_t duration_ns, std::uint64_t tokens = 0) {
  StepFact step;
  step.index = index;
  step.begin_ns = index * 1'000'000;
  step.end_ns = step.begin_ns + duration_ns;
  step.tokens = tokens;
  step.complete = true;
  return step;
}

TEST(WindowPace, TheMedianOfAnEvenNumberIsBetweenTheMiddleTwo) {
  const Pace pace = window_pace({step_of(0, 9), step_of(1, 40), step_of(2, 10), step_of(3, 20)}, 0, 3);
  EXPECT_EQ(pace.complete_steps, 4u);
  EXPECT_EQ(pace.median_step_ns, 15.0);
  EXPECT_FALSE(pace.tokens_per_second.has_value());
}

TEST(WindowPace, CountsTheStepsOfTheWindowThatCameToTheirEnd) {
  std::vector<StepFact> steps{step_of(0, 900, 7), step_of(1, 10, 3), step_of(2, 30, 5), step_of(3, 20, 9)};
  steps[3].complete = false;
  const Pace pace = window_pace(steps, 1, 3);
  EXPECT_EQ(pace.complete_steps, 2u);
  EXPECT_EQ(pace.median_step_ns, 20.0);
  EXPECT_EQ(pace.tokens_per_second, 8.0 / 40.0 * 1e9);
}

TEST(WindowPace, WithoutAStepThereIsNone) {
  const Pace pace = window_pace({step_of(0, 5, 1)}, 1, 2);
  EXPECT_EQ(pace.complete_steps, 0u);
  EXPECT_FALSE(pace.median_step_ns.has_value());
  EXPECT_FALSE(pace.tokens_per_second.has_value());
}

// What the session writes when interrupted in the second step.
Recording interrupted(RunEnd end) {
  testing::RunBuilder run;
  for (std::int64_t step = 0; step < 2; ++step) run.step(step, STRATA_STEP_ACTIVE, [&] { run.wait(100); });
  Recording recording = run.finish(end);
  recording.steps.back().loss = std::nan("");
  recording.steps.back().tokens = 0;
  return recording;
}

TEST(CompleteStep, OneThatTheSessionHadToEndIsNone) {
  for (const RunEnd end : {RunEnd::kInterrupted, RunEnd::kFailed, RunEnd::kOutOfMemory, RunEnd::kExited}) {
    const Facts facts = analyse(interrupted(end));
    EXPECT_TRUE(facts.steps[0].complete) << to_string(end);
    EXPECT_FALSE(facts.steps[1].complete) << to_string(end);
    EXPECT_EQ(facts.pace.complete_steps, 1u) << to_string(end);
  }
}

TEST(CompleteStep, OfAFinishedRunEveryStepIsOne) {
  EXPECT_TRUE(analyse(interrupted(RunEnd::kDone)).steps[1].complete);
}

// The run failed between two steps.
TEST(CompleteStep, ALastStepThatSaidItsLossOrItsTokensIsOne) {
  Recording recording = interrupted(RunEnd::kFailed);
  recording.steps.back().tokens = 64;
  EXPECT_TRUE(analyse(recording).steps[1].complete);
  recording.steps.back().tokens = 0;
  recording.steps.back().loss = 2.5;
  EXPECT_TRUE(analyse(recording).steps[1].complete);
}

TEST(CompleteStep, OneWithoutAnEndIsNone) {
  testing::RunBuilder run;
  run.step(0, STRATA_STEP_ACTIVE, [&] { run.allocate(100); });
  const Recording whole = run.finish();
  EXPECT_FALSE(analyse(testing::killed_after(whole, whole.memory.back().sequence)).steps[0].complete);
}

}  // namespace
}  // namespace strata::analysis
