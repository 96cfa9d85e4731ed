// SPDX-License-Identifier: Apache-2.0
// The examples behave as documented.
#include <gtest/gtest.h>
#include <unistd.h>

#include "strata/runtime/session.hpp"
#include "tests/runtime/run_folder.hpp"

namespace strata {
namespace {

class Examples : public testing::Test {
 protected:
  // A run of two steps with one plugin; returns its log.
  std::string run(const std::string& plugin, const std::vector<PluginOption>& options) {
    SessionOptions session_options;
    session_options.directory = folder_.path();
    session_options.plugin_path = {STRATA_EXAMPLE_PLUGINS};
    session_options.plugins = {{plugin, options, ""}};
    session_options.strict = true;
    testing::internal::CaptureStderr();
    Session session(session_options);
    session.begin_run();
    for (std::uint64_t step = 0; step < 2; ++step) {
      session.begin_step(step, 1);
      session.end_phase(session.begin_phase(PhaseKind::kForward, "forward"));
      session.end_step({.optimizer_ran = true, .loss = 1.0, .tokens = 100 + step});
    }
    session.end_run(RunEnd::kDone);
    return testing::internal::GetCapturedStderr();
  }

  std::vector<std::string> rows(const std::string& sql) {
    return query(folder_.store(static_cast<std::uint32_t>(getpid())), sql);
  }

  RunFolder folder_;
};

TEST_F(Examples, StepCounterCountsSteps) {
  EXPECT_EQ(run("step_counter", {{"log_every", "1", ""}}),
            "strata: info: [step_counter] 1 steps, 100 tokens\n"
            "strata: info: [step_counter] 2 steps, 201 tokens\n"
            "strata: info: [step_counter] 2 steps, 201 tokens\n");
  EXPECT_EQ(rows("SELECT step, tokens FROM step_counter_step"), (std::vector<std::string>{"0|100", "1|101"}));
}

TEST_F(Examples, PhaseTimerTimesPhases) {
  EXPECT_EQ(run("phase_timer", {}), "");
  EXPECT_EQ(
      rows("SELECT t.step, t.phase, text, duration_ns = e.monotonic_ns - b.monotonic_ns "
           "FROM phase_timer_phase AS t JOIN string ON string.id = t.name "
           "JOIN host_phase_begin AS b ON b.phase = t.phase JOIN host_phase_end AS e ON e.phase = t.phase"),
      (std::vector<std::string>{"0|1|forward|1", "1|2|forward|1"}));
}

TEST_F(Examples, PhaseTimerLeavesOutWhatIsShorterThanAsked) {
  run("phase_timer", {{"longer_than_ns", "1000000000000", ""}});
  EXPECT_EQ(rows("SELECT count(*) FROM phase_timer_phase"), std::vector<std::string>{"0"});
}

// Without a source nothing is allocated; tests/docs runs it in a real training.
TEST_F(Examples, LargestAllocationWritesARowAStep) {
  EXPECT_EQ(run("largest_allocation", {}), "");
  EXPECT_EQ(rows("SELECT step, bytes FROM largest_allocation_step"),
            (std::vector<std::string>{"0|0", "1|0"}));
}

}  // namespace
}  // namespace strata
