// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/steps/last_step.hpp"
#include "host/analysis/recording/recording.hpp"

#include <gtest/gtest.h>

#include "strata/ext/activity.h"
#include "strata/ext/phase.h"

namespace strata::analysis {
namespace {

// One step, closed when the program ended, in which an optimizer was inferred.
Recording unmarked_run() {
  Recording run;
  run.end = analysis::RunEnd::kDone;
  run.steps = {{.step = 0, .begin_sequence = 1, .end_sequence = 90, .begin_ns = 100, .end_ns = 9000}};
  PhaseRow phase;
  phase.ordinal = 1;
  phase.kind = STRATA_PHASE_OPTIMIZER;
  phase.step = 0;
  phase.inferred = true;
  phase.begin_sequence = 10;
  phase.end_sequence = 20;
  phase.begin_ns = 200;
  phase.end_ns = 300;
  run.phases = {phase};
  return run;
}

ActivityRow kernel(std::uint32_t phase, std::int64_t end_ns) {
  ActivityRow activity;
  activity.kind = STRATA_ACTIVITY_KERNEL;
  activity.phase = phase;
  activity.end_ns = end_ns;
  return activity;
}

TEST(LastStep, WorksUntilItsLastPhaseAndWhatADeviceDidForIt) {
  Recording run = unmarked_run();
  EXPECT_EQ(last_work(run, {}).host_ns, 300);
  EXPECT_EQ(last_work(run, {}).device_ns, 300);
  run.time.activities = {kernel(1, 450), kernel(0, 5000)};  // the second is an evaluation after the loop
  EXPECT_EQ(last_work(run, {}).host_ns, 300);
  EXPECT_EQ(last_work(run, {}).device_ns, 450);
}

TEST(LastStep, ThatIsMarkedOrFollowedWorksUntilItsEnd) {
  Recording run = unmarked_run();
  EXPECT_EQ(last_work(run, {{.sequence = 91}}).host_ns, INT64_MAX);
  run.phases.front().inferred = false;
  EXPECT_EQ(last_work(run, {}).host_ns, INT64_MAX);
  run.phases.front().inferred = true;
  run.steps.front().loss = 2.0;
  EXPECT_EQ(last_work(run, {}).host_ns, INT64_MAX);
}

TEST(LastStep, OfARunThatFailedIsCompleteWhereAnotherBeganBehindIt) {
  Recording run = unmarked_run();
  EXPECT_TRUE(is_complete(run, run.steps.front()));
  run.end = analysis::RunEnd::kFailed;
  EXPECT_FALSE(is_complete(run, run.steps.front())) << "the session closed it";
  run.steps.front().is_followed = true;
  EXPECT_TRUE(is_complete(run, run.steps.front()));
}

}  // namespace
}  // namespace strata::analysis
