// SPDX-License-Identifier: Apache-2.0
// Time by phase: wall time, the part covered by operators, operator time over all threads, device time.
#include <gtest/gtest.h>

#include "strata/ext/activity.h"
#include "strata/ext/phase.h"
#include "tests/analysis/time/timed_run.hpp"

namespace strata::analysis {
namespace {

using testing::TimedRun;

TEST(PhaseTimes, OfSeveralStepsAreTogether) {
  TimedRun run;
  for (std::int64_t step = 0; step < 3; ++step) {
    run.step(step, step * 1000, step * 1000 + 900);
    run.phase("forward", STRATA_PHASE_FORWARD, step * 1000, step * 1000 + 300);
    run.op("aten::mm", {.begin_ns = step * 1000 + 50, .end_ns = step * 1000 + 250});
    const auto backward = run.phase("backward", STRATA_PHASE_BACKWARD, step * 1000 + 300, step * 1000 + 800);
    static_cast<void>(backward);
    run.phase("forward", STRATA_PHASE_FORWARD, step * 1000 + 400, step * 1000 + 500);
    run.op("aten::a", {.begin_ns = step * 1000 + 310, .end_ns = step * 1000 + 510});
    run.op("aten::b",
           {.begin_ns = step * 1000 + 350, .end_ns = step * 1000 + 450, .thread = TimedRun::kAutograd});
  }
  const TimeFacts facts = run.facts();
  ASSERT_EQ(facts.phases.size(), 3u);
  EXPECT_EQ(facts.phases[0].path, "forward");
  EXPECT_EQ(facts.phases[1].path, "backward");
  EXPECT_EQ(facts.phases[2].path, "backward/forward");
  EXPECT_EQ(facts.phases[2].depth, 1u);
  EXPECT_EQ(facts.phases[0].count, 3u);
  EXPECT_EQ(facts.phases[0].wall_ns, 900);
  EXPECT_EQ(facts.phases[0].operator_ns, 600);
  EXPECT_EQ(facts.phases[1].wall_ns, 1500);
  EXPECT_EQ(facts.phases[1].self_ns, 1200);
  EXPECT_EQ(facts.phases[1].operator_ns, 600) << "two threads at once are one interval";
  EXPECT_EQ(facts.phases[1].thread_ns, 900);
  EXPECT_EQ(facts.phases[2].operator_ns, 300);
  for (const PhaseTime& phase : facts.phases) EXPECT_LE(phase.operator_ns, phase.wall_ns) << phase.path;
  EXPECT_EQ(facts.window_ns, 2700);
  EXPECT_EQ(facts.steps.at(1).operator_ns, 200 + 200);
}

TEST(PhaseTimes, WithADeviceThatWorksAfterTheyAskedAndIdles) {
  TimedRun run;
  run.step(0, 0, 1000);
  const auto forward = run.phase("forward", STRATA_PHASE_FORWARD, 0, 100);
  run.phase("backward", STRATA_PHASE_BACKWARD, 100, 1000);
  run.device(STRATA_ACTIVITY_KERNEL, 150, 400).phase = forward;  // runs in backward, launched in forward
  const TimeFacts facts = run.facts();
  EXPECT_EQ(facts.phases.at(0).device_ns, 250);
  EXPECT_EQ(facts.phases.at(0).device_idle_ns, 100);
  EXPECT_EQ(facts.phases.at(1).device_ns, 0);
  EXPECT_EQ(facts.phases.at(1).device_idle_ns, 50 + 600);
}

TEST(PhaseTimes, OutsideOfTheWindowAreLeftOut) {
  TimedRun run;
  run.phase("setup", STRATA_PHASE_SETUP, 0, 50);
  run.step(0, 100, 200);
  run.step(1, 200, 300);
  run.recording().first_step = 1;
  run.phase("forward", STRATA_PHASE_FORWARD, 100, 150);
  run.phase("forward", STRATA_PHASE_FORWARD, 200, 290);
  const TimeFacts facts = run.facts();
  ASSERT_EQ(facts.phases.size(), 1u);
  EXPECT_EQ(facts.phases[0].wall_ns, 90);
  EXPECT_EQ(facts.phases[0].count, 1u);
}

}  // namespace
}  // namespace strata::analysis
