// SPDX-License-Identifier: Apache-2.0
// One recorded window: what reaches a plugin, and the op, phase and module it is assigned to.
#include <unistd.h>

#include <ctime>

#include "tests/sources_cupti/cupti_session.hpp"

namespace strata::test {
namespace {

class CuptiRecording : public CuptiSession {};

std::int64_t monotonic_ns() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

TEST_F(CuptiRecording, AKernelIsToldWithItsLaunchAndWhatThatWasCalledUnder) {
  std::uint32_t correlation = 0, phase = 0, module = 0;
  std::uint64_t op = 0;
  const std::int64_t before_ns = monotonic_ns();
  run([&](Session& session) {
    phase = session.begin_phase(PhaseKind::kForward, "forward");
    module = session.begin_module("layers.0", "Linear", ModuleDirection::kForward);
    op = begin_op();
    correlation = fake_.launch("_ZN3foo3barEv", 1500);
    end_op(op);
    session.end_module(module);
    session.end_phase(phase);
  });
  const std::int64_t after_ns = monotonic_ns();

  const auto kernels = sink_.of(STRATA_ACTIVITY_KERNEL);
  ASSERT_EQ(kernels.size(), 1u);
  const strata_activity_event& kernel = kernels[0].event;
  EXPECT_EQ(kernels[0].name, "foo::bar()") << "as the program's author wrote it";
  EXPECT_EQ(kernel.correlation, correlation);
  EXPECT_EQ(kernel.op, op);
  EXPECT_EQ(kernel.phase, phase);
  EXPECT_EQ(kernel.module, module);
  EXPECT_EQ(kernel.end_ns - kernel.begin_ns, 1500);
  EXPECT_GE(kernel.begin_ns, before_ns - 100'000) << "on the run's clock, which CUPTI's is not";
  EXPECT_LE(kernel.end_ns, after_ns + 100'000);
  EXPECT_EQ(kernel.device.type, STRATA_DEVICE_CUDA);
  EXPECT_EQ(kernel.stream, 7u);
  EXPECT_EQ(kernel.context, 1u);
  EXPECT_EQ(kernel.grid[0], 3u);
  EXPECT_EQ(kernel.block[0], 128u);
  EXPECT_EQ(kernel.modelled, 0u);
  EXPECT_EQ(kernel.thread, 0u);

  const auto calls = sink_.of(STRATA_ACTIVITY_API);
  ASSERT_EQ(calls.size(), 1u);
  EXPECT_EQ(calls[0].name, "cudaLaunchKernel") << "without the version that the runtime gave it";
  EXPECT_EQ(calls[0].event.detail, STRATA_API_RUNTIME | STRATA_API_LAUNCHES);
  EXPECT_EQ(calls[0].event.correlation, correlation);
  EXPECT_EQ(calls[0].event.thread, static_cast<std::uint32_t>(gettid()));
  EXPECT_EQ(calls[0].event.op, op);

  EXPECT_EQ(source().status, "ok");
  EXPECT_EQ(
      captures("activities, kernels, calls, launches, answered_launches, regime, version, modelled, dropped, "
               "without_times, without_call, lost_origins, refused_buffers, broken_buffers"),
      (std::vector<std::string>{"2|1|1|1|1|1|130001|0|0|0|0|0|0|0"}));
  EXPECT_EQ(fake_.pushes, 3);
  EXPECT_EQ(fake_.pops, 3);
  EXPECT_STREQ(fake_.subscriber.data(), "Strata");
  EXPECT_TRUE(fake_.zeroed_buffers);
  EXPECT_EQ(fake_.unclean_buffers, 0);
  EXPECT_TRUE(fake_.system_threads);
  EXPECT_EQ(fake_.calls_without_subscription, 0);
  EXPECT_EQ(fake_.unsubscriptions, 1);
  EXPECT_EQ(fake_.finalizations, 0);
  EXPECT_NE(text("library").find("fake_cupti.so"), std::string::npos) << text("library");
}

// CUPTI completes buffers in any order.
TEST_F(CuptiRecording, AKernelThatComesBeforeItsCallIsHeldUntilThat) {
  std::uint64_t op = 0;
  run([&](Session&) {
    op = begin_op();
    fake_.launch_with_swapped_times("late_call");
    end_op(op);
  });
  const auto kernels = sink_.of(STRATA_ACTIVITY_KERNEL);
  ASSERT_EQ(kernels.size(), 1u);
  EXPECT_EQ(kernels[0].event.op, op);
  EXPECT_EQ(captures("launches, answered_launches, without_call"), (std::vector<std::string>{"1|1|0"}));
}

TEST_F(CuptiRecording, WhatIsCalledOutsideOfOpsIsToldWithoutOne) {
  run([&](Session&) { fake_.launch("alone", 10); });
  const auto kernels = sink_.of(STRATA_ACTIVITY_KERNEL);
  ASSERT_EQ(kernels.size(), 1u);
  EXPECT_EQ(kernels[0].event.op, STRATA_NONE);
  EXPECT_EQ(kernels[0].event.phase, STRATA_NONE);
  EXPECT_EQ(captures("without_call, lost_origins"), (std::vector<std::string>{"0|0"}));
}

TEST_F(CuptiRecording, WithoutCallsKernelsAreToldAlone) {
  set("kinds", "kernel");
  run([&](Session&) {
    const std::uint64_t op = begin_op();
    fake_.launch("alone", 10);
    end_op(op);
  });
  EXPECT_EQ(sink_.all().size(), 1u);
  EXPECT_EQ(fake_.pushes, 0) << "there is no call to find it with";
}

TEST_F(CuptiRecording, CorrelationCanBeSwitchedOff) {
  set("correlate", "false");
  run([&](Session& session) {
    const Phase phase(session, PhaseKind::kForward, "forward");
    fake_.launch("alone", 10);
  });
  EXPECT_EQ(fake_.pushes, 0);
  EXPECT_EQ(sink_.of(STRATA_ACTIVITY_KERNEL).size(), 1u);
}

// Ranges that were open when the recording began or ended must not be popped.
TEST_F(CuptiRecording, OnlyWhatWasPushedIsPopped) {
  options_.schedule = {.wait = 1, .warmup = 0, .active = 1};
  options_.plugins = {listener("activity_listener")};
  Session& session = begin();
  const std::uint32_t before = session.begin_phase(PhaseKind::kOther, "before the window");
  session.begin_step(0, 1);
  session.end_step({});
  session.begin_step(1, 1);
  const std::uint64_t op = begin_op();
  session.end_step({});  // the window's end
  end_op(op);
  session.end_phase(before);
  session.end_run(RunEnd::kDone);
  EXPECT_EQ(fake_.pushes, 1);
  EXPECT_EQ(fake_.pops, 0);
  EXPECT_EQ(fake_.calls_without_subscription, 0);
}

TEST_F(CuptiRecording, AKindThatCuptiDoesNotHaveIsNamed) {
  fake_.refused_kind = 52;  // CUPTI_ACTIVITY_KIND_JIT
  run([&](Session&) { fake_.launch("kernel", 10); });
  EXPECT_EQ(source().status, "ok");
  EXPECT_EQ(text("refused_kinds"), "compilation");
  EXPECT_EQ(sink_.of(STRATA_ACTIVITY_KERNEL).size(), 1u);
}

TEST_F(CuptiRecording, FinalizesWhenAskedTo) {
  set("finalize_on_stop", "true");
  run([&](Session&) { fake_.launch("kernel", 10); });
  EXPECT_EQ(fake_.finalizations, 1);
}

TEST_F(CuptiRecording, ASecondRunInTheSameProcessRecordsAnew) {
  for (int time = 0; time < 2; ++time) {
    run([&](Session&) { fake_.launch("kernel", 10); });
  }
  EXPECT_EQ(sink_.of(STRATA_ACTIVITY_KERNEL).size(), 2u);
  EXPECT_EQ(fake_.subscriptions, 2);
  EXPECT_EQ(fake_.unclean_buffers, 0) << "a buffer is cleared before it is used again";
}

}  // namespace
}  // namespace strata::test
