// SPDX-License-Identifier: Apache-2.0
// Each cause planted alone and together with others, on a simulated clock.
#include "host/analysis/warm_up/warm_up.hpp"
#include "host/analysis/warm_up/causes.hpp"

#include <gtest/gtest.h>

#include <array>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "host/report/words/warm_up_json.hpp"
#include "host/report/words/warm_up_words.hpp"
#include "strata/ext/activity.h"
#include "strata/ext/phase.h"
#include "tests/analysis/warm_up/timed_run.hpp"

namespace strata::analysis {
namespace {

using testing::kMs;
using testing::ns_of;
using testing::proof_of;
using testing::TimedRun;
using testing::training_with;

// A cause planted in step 0 must be found in full, and nothing else.
struct PlantedCause {
  Cause cause;
  const char* phase;
  std::function<void(TimedRun&)> planted;
  double ms;
  const char* proof;  // part of it
};

std::vector<PlantedCause> planted_causes() {
  const auto api = [](const char* name, std::int64_t ms) {
    return [name, ms](TimedRun& run) {
      run.activity(STRATA_ACTIVITY_API, STRATA_API_DRIVER, name, [&] { run.idle(ms * kMs); });
    };
  };
  const auto overhead = [](std::uint32_t detail, std::int64_t ms) {
    return [detail, ms](TimedRun& run) {
      run.activity(STRATA_ACTIVITY_OVERHEAD, detail, "", [&] { run.idle(ms * kMs); });
    };
  };
  const auto call = [](const char* name, std::int64_t ms) {
    return [name, ms](TimedRun& run) { run.call(name, [&] { run.work(ms * kMs); }); };
  };
  return {
      {Cause::kContext, "forward", api("cuDevicePrimaryCtxRetain", 200), 200,
       "cuDevicePrimaryCtxRetain 200.0 ms"},
      {Cause::kModules, "forward",
       [](TimedRun& run) {
         run.activity(
             STRATA_ACTIVITY_MODULE, 0, "", [] {}, 3 << 20);
         run.activity(STRATA_ACTIVITY_OVERHEAD, STRATA_OVERHEAD_MODULE_LOADING, "",
                      [&] { run.idle(30 * kMs); });
       },
       30, "1 modules, 3.0 MiB"},
      {Cause::kKernels, "backward", overhead(STRATA_OVERHEAD_FUNCTION_LOADING, 12), 12, "1 timed"},
      {Cause::kJit, "forward",
       [](TimedRun& run) {
         run.activity(STRATA_ACTIVITY_JIT, STRATA_JIT_COMPILE, "kernel", [&] { run.idle(80 * kMs); });
       },
       80, "kernel 80.0 ms"},
      {Cause::kSegments, "forward", api("cudaMalloc", 5), 5, "cudaMalloc 5.0 ms"},
      {Cause::kProfiler, "forward", overhead(STRATA_OVERHEAD_INSTRUMENTATION, 7), 7, "1 timed"},
      {Cause::kDriver, "forward", api("cuStreamCreate", 3), 3, "cuStreamCreate"},
      {Cause::kProjector, "optimizer", call("aten::_linalg_svd", 150), 150, "1 calls of SVD or QR"},
      {Cause::kCommunicator, "gradient_sync", call("c10d::allreduce_", 60), 60, "c10d::allreduce_ 60.0 ms"},
      {Cause::kLibraryHandles, "forward", call("aten::addmm", 40), 40, "aten::addmm 40.0 ms"},
      {Cause::kFirstCalls, "backward", call("aten::exp", 9), 9, "in backward: aten::exp 9.0 ms"},
      {Cause::kProcessorWait, "forward", [](TimedRun& run) { run.wait_for_processor(25 * kMs); }, 25,
       "without a processor"},
      {Cause::kPageFaults, "forward", [](TimedRun& run) { run.fault(51'200); }, 102.4,
       "51200 more in forward"},
      {Cause::kThreads, "forward", [](TimedRun& run) { run.start_threads(7); }, 0.07, "7 in forward"},
      {Cause::kPrograms, "forward", [](TimedRun& run) { run.run_program(90 * kMs); }, 90,
       "90.0 ms of processor"},
      {Cause::kOptimizerState, "optimizer",
       [](TimedRun& run) {
         run.work(35 * kMs);
         run.make_state(4);
       },
       35, "4 tensors of state were made"},
      {Cause::kDataLoader, "data", [](TimedRun& run) { run.idle(300 * kMs); }, 300,
       "data took 301.0 ms, 1.0 ms in steady"},
      {Cause::kSharedLibraries, "forward",
       [](TimedRun& run) {
         run.idle(45 * kMs);
         run.open_library("/usr/lib/libcudnn_ops.so.9");
       },
       45, "opened libcudnn_ops.so.9"},
  };
}

TEST(WarmUp, FindsEachCauseThatIsPlanted) {
  const std::vector<PlantedCause> all = planted_causes();
  ASSERT_EQ(all.size(), kCauses) << "a cause has no fixture";
  for (const PlantedCause& planted : all) {
    SCOPED_TRACE(std::string(describe(planted.cause).id));
    TimedRun run = training_with(0, planted.phase, planted.planted);
    const Facts facts = run.analysed();
    const WarmUp& warm_up = facts.warm_up;
    ASSERT_EQ(warm_up.steps.size(), 1u);
    const SlowStep& step = warm_up.steps.front();
    EXPECT_EQ(step.step, 0);
    EXPECT_NEAR(ns_of(step.causes, planted.cause) / kMs, planted.ms, 0.01);
    EXPECT_EQ(step.causes.size(), 1u);
    EXPECT_NEAR(step.unattributed_ns, 0.0, 1.0);
    EXPECT_NE(proof_of(step.causes, planted.cause).find(planted.proof), std::string::npos)
        << proof_of(step.causes, planted.cause);
  }
}

TEST(WarmUp, TheDocumentHasARowForEachCause) {
  std::ifstream file(STRATA_WARM_UP_DOCUMENT);
  std::ostringstream text;
  text << file.rdbuf();
  for (std::size_t index = 0; index < kCauses; ++index) {
    const auto cause = static_cast<Cause>(index);
    const std::size_t row = text.str().find("\n| " + std::string(report::cause_title(cause)));
    ASSERT_NE(row, std::string::npos) << report::cause_title(cause);
    constexpr std::array<std::string_view, 4> kCertainties{"timed", "difference", "estimated", "at most"};
    const std::string line = text.str().substr(row + 1, text.str().find('\n', row + 1) - row - 1);
    const auto certainty = kCertainties.at(static_cast<std::size_t>(describe(cause).certainty));
    EXPECT_NE(line.find("| " + std::string(certainty) + " |"), std::string::npos) << line;
  }
}

TEST(WarmUp, ACallThatWaitedForAProcessorIsNoSlowCall) {
  TimedRun run = training_with(0, "forward", [](TimedRun& timed) { timed.wait_for_processor(40 * kMs); });
  Recording& recording = run.recording();
  const PhaseRow& forward = recording.phases.at(1);
  recording.warm_up.calls.push_back({.begin_ns = forward.begin_ns,
                                     .end_ns = forward.end_ns,
                                     .self_ns = forward.end_ns - forward.begin_ns,
                                     .minor_faults = 0,
                                     .libraries = 0,
                                     .thread = 100,
                                     .name = recording.texts.add("aten::mm"),
                                     .is_first = false});
  recording.warm_up.operators.push_back({5, recording.texts.add("aten::mm"), 1, 3 * kMs});
  const Facts facts = run.analysed();
  EXPECT_NEAR(ns_of(facts.warm_up.causes, Cause::kProcessorWait) / kMs, 40.0, 0.01);
  EXPECT_EQ(facts.warm_up.causes.size(), 1u);
}

TEST(WarmUp, LeavesWhatNothingExplainsUnattributed) {
  const Facts facts = training_with(0, "backward", [](TimedRun& run) { run.idle(50 * kMs); }).analysed();
  ASSERT_EQ(facts.warm_up.steps.size(), 1u);
  EXPECT_TRUE(facts.warm_up.causes.empty());
  EXPECT_NEAR(facts.warm_up.unattributed_ns / kMs, 50.0, 0.01);
}

TEST(WarmUp, GivesTimeOutOnce) {
  // A driver call within an operator's first call, a compilation within that call, and page faults.
  const Facts facts =
      training_with(0, "forward", [](TimedRun& run) {
        run.call("aten::convolution", [&] {
          run.work(10 * kMs);
          run.activity(STRATA_ACTIVITY_API, STRATA_API_DRIVER, "cuModuleLoadData", [&] {
            run.idle(20 * kMs);
            run.activity(STRATA_ACTIVITY_JIT, STRATA_JIT_COMPILE, "", [&] { run.idle(40 * kMs); });
          });
          run.fault(5'000);
        });
      }).analysed();
  const std::vector<CauseShare>& causes = facts.warm_up.causes;
  EXPECT_NEAR(ns_of(causes, Cause::kJit) / kMs, 40, 0.01);
  EXPECT_NEAR(ns_of(causes, Cause::kModules) / kMs, 20, 0.01);
  EXPECT_NEAR(ns_of(causes, Cause::kPageFaults) / kMs, 10, 0.01);
  EXPECT_NEAR(ns_of(causes, Cause::kLibraryHandles) / kMs, 10, 0.01);
  EXPECT_NEAR(facts.warm_up.unattributed_ns, 0.0, 1.0);
}

TEST(WarmUp, GivesNoMoreThanTheExcess) {
  // An activity longer than the step: from a wrong clock, or from another thread.
  TimedRun run = training_with(0, "forward", [](TimedRun& timed) { timed.work(10 * kMs); });
  const StepRow& first = run.recording().steps.front();
  run.recording().warm_up.activities.push_back({.begin_ns = first.begin_ns - 500 * kMs,
                                                .end_ns = first.end_ns + 500 * kMs,
                                                .bytes = 0,
                                                .thread = 0,
                                                .kind = STRATA_ACTIVITY_JIT,
                                                .detail = 0,
                                                .name = 0,
                                                .is_modelled = false});
  run.recording().warm_up.longest_activity_ns = 2'000 * kMs;
  const SlowStep step = run.analysed().warm_up.steps.at(0);
  double given = step.unattributed_ns;
  for (const CauseShare& share : step.causes) given += share.ns;
  EXPECT_NEAR(given, step.excess_ns, 1.0);
  EXPECT_NEAR(step.excess_ns / kMs, 10.0, 0.01);
}

TEST(WarmUp, ComparesPageFaultsWithSteadySteps) {
  TimedRun run;
  for (std::int64_t step = 0; step < 30; ++step) {
    run.step(step, [&] {
      run.phase(STRATA_PHASE_FORWARD, "forward", [&] { run.fault(step == 0 ? 12'000 : 7'000); });
    });
  }
  const Facts facts = run.analysed();
  EXPECT_NEAR(ns_of(facts.warm_up.causes, Cause::kPageFaults) / kMs, 10.0, 0.01);
}

TEST(WarmUp, TakesThePhasesProcessorTimeForFaultsThatAreDearer) {
  const Facts facts = training_with(0, "forward", [](TimedRun& run) {
                        run.fault(10'000);
                        run.work(5 * kMs);  // a quarter more than the measured cost
                      }).analysed();
  EXPECT_NEAR(ns_of(facts.warm_up.causes, Cause::kPageFaults) / kMs, 25.0, 0.01);
}

TEST(WarmUp, TellsOfStepsThatAreSlowAgain) {
  TimedRun run = training_with(20, "optimizer", [](TimedRun& timed) {
    timed.call("aten::linalg_svd", [&] { timed.work(120 * kMs); });
  });
  const std::uint32_t other = run.recording().texts.add("aten::add");
  for (std::int64_t step = 0; step < 30; ++step)
    run.recording().warm_up.operators.push_back({step, other, 1, 1000});
  const Facts facts = run.analysed();
  EXPECT_EQ(facts.steady_state.course, Course::kFlat);
  EXPECT_TRUE(facts.warm_up.steps.empty());
  ASSERT_EQ(facts.warm_up.again.size(), 1u);
  EXPECT_EQ(facts.warm_up.again[0].step, 20);
  EXPECT_NEAR(ns_of(facts.warm_up.again[0].causes, Cause::kProjector) / kMs, 120.0, 0.01);
}

TEST(WarmUp, OfARunWithoutThePluginOnlySteadyStateIsKnown) {
  TimedRun run = training_with(0, "data", [](TimedRun& timed) { timed.idle(100 * kMs); });
  run.recording().warm_up = {};
  const Facts facts = run.analysed();
  EXPECT_FALSE(facts.warm_up.is_recorded);
  EXPECT_TRUE(facts.warm_up.steps.empty());
  EXPECT_EQ(facts.steady_state.course, Course::kWarmUp);
  EXPECT_EQ(facts.steady_state.first_step, 1);
}

TEST(WarmUp, SaysWhatWasNotRecorded) {
  const Facts facts = training_with(0, "data", [](TimedRun& run) { run.idle(9 * kMs); }).analysed();
  EXPECT_EQ(facts.warm_up.not_recorded, (std::vector{Detector::kActivities, Detector::kOperators}));
  const auto document = nlohmann::json::parse(report::warm_up_document(facts));
  EXPECT_EQ(document["schema"], "strata.warm-up/1");
  ASSERT_EQ(document["looked_for"].size(), kCauses);
  for (const auto& cause : document["looked_for"]) {
    const bool is_missing = cause["detector"] == "activities" || cause["detector"] == "operators";
    EXPECT_EQ(cause["looked_for"], !is_missing) << cause;
  }
}

TEST(WarmUp, WasLookedForWhereNoStepIsSlowToo) {
  TimedRun run = training_with(0, "forward", [](TimedRun&) {});
  const std::uint32_t name = run.recording().texts.add("aten::add");
  for (std::int64_t step = 0; step < 30; ++step)
    run.recording().warm_up.operators.push_back({step, name, 1, 1000});
  const Facts facts = run.analysed();
  EXPECT_TRUE(facts.warm_up.steps.empty());
  EXPECT_EQ(facts.warm_up.not_recorded, std::vector{Detector::kActivities});
}

TEST(WarmUp, ActivitiesThatADryDeviceModelledTookNoTime) {
  TimedRun run = training_with(0, "forward", [](TimedRun& timed) {
    timed.activity(STRATA_ACTIVITY_API, STRATA_API_RUNTIME, "cudaMalloc", [&] { timed.idle(10 * kMs); });
  });
  run.recording().warm_up.activities[0].is_modelled = true;
  EXPECT_EQ(ns_of(run.analysed().warm_up.causes, Cause::kSegments), 0.0);
}

}  // namespace
}  // namespace strata::analysis
