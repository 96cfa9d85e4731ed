// SPDX-License-Identifier: Apache-2.0
// A whole run: a source that emits operators and synthetic kernels, the plugin, the run store, analysis.
#include <gtest/gtest.h>

#include <string>
#include <thread>

#include "host/analysis/analyse.hpp"
#include "strata/ext/activity.h"
#include "strata/runtime/session.hpp"
#include "tests/runtime/plugins/recording_sink.hpp"
#include "tests/temporary_folder.hpp"

namespace strata::test {
namespace {

class TimedSession : public testing::Test {
 protected:
  TimedSession() : session_(options()) {
    session_.begin_run();
    session_.ready();
  }

  std::uint64_t begin_op(const char* name) {
    strata_op_info op{};
    op.struct_size = sizeof op;
    op.name = interned(name);
    op.autograd_sequence = -1;
    return sink_.emit->op_begin(sink_.source_host, &op);
  }
  void end_op(std::uint64_t op) { sink_.emit->op_end(sink_.source_host, op); }

  static std::int64_t now() {
    timespec time{};
    clock_gettime(CLOCK_MONOTONIC, &time);
    return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
  }

  void tell(std::uint32_t kind, std::uint32_t detail, const char* name, std::int64_t begin_ns,
            std::int64_t end_ns, std::uint64_t op) {
    strata_activity_event activity{};
    activity.struct_size = sizeof activity;
    activity.kind = kind;
    activity.detail = detail;
    activity.name = interned(name);
    activity.device = {STRATA_DEVICE_CUDA, 0};
    activity.stream = kind == STRATA_ACTIVITY_API ? 0 : 7;
    activity.correlation = correlation_;
    activity.begin_ns = begin_ns;
    activity.end_ns = end_ns;
    activity.op = op;
    activity.thread = kind == STRATA_ACTIVITY_API ? static_cast<std::uint32_t>(gettid()) : 0;
    sink_.emit->activity(sink_.source_host, &activity);
  }

  // An operator that launches a kernel lasting one millisecond from now.
  void launch() {
    ++correlation_;
    const std::uint64_t outer = begin_op("aten::linear"), op = begin_op("aten::addmm");
    const std::int64_t at = now();
    tell(STRATA_ACTIVITY_API, STRATA_API_RUNTIME | STRATA_API_LAUNCHES, "cudaLaunchKernel", at, at + 10, op);
    tell(STRATA_ACTIVITY_KERNEL, 0, "_Z4gemmv", at + 20, at + 1'000'020, op);
    end_op(op);
    end_op(outer);
    while (now() < at + 1'000'020) std::this_thread::yield();
  }

  void step(std::uint64_t index) {
    session_.begin_step(index, 1);
    const auto phase = session_.begin_phase(PhaseKind::kForward, "forward");
    launch();
    session_.end_phase(phase);
    session_.end_step({.optimizer_ran = true, .loss = 1.0, .tokens = 1});
  }

  analysis::Facts analysed() {
    session_.end_run(RunEnd::kDone);
    return analysis::analyse(folder_.path());
  }

 private:
  strata_name interned(const std::string& text) const {
    strata_name name{};
    sink_.emit->intern(sink_.source_host, text.data(), text.size(), &name);
    return name;
  }

  SessionOptions options() {
    SessionOptions options;
    options.name = "timed";
    options.directory = folder_.path();
    options.plugin_path = {STRATA_TEST_PLUGINS, STRATA_PLUGINS};
    options.sources = {
        {"emitter", {{"sink", std::to_string(reinterpret_cast<std::uintptr_t>(&sink_)), ""}}, ""}};
    options.plugins = {{.name = "cupti_timeline", .options = {}, .place = ""}};
    options.schedule = {.wait = 1, .warmup = 0, .active = 2};
    options.strict = true;
    return options;
  }

  TemporaryFolder folder_;
  RecordingSink sink_;
  std::uint64_t correlation_ = 0;
  Session session_;
};

TEST_F(TimedSession, HasTheWindowsTimesAlone) {
  for (std::uint64_t index = 0; index < 4; ++index) step(index);
  const analysis::Facts facts = analysed();
  ASSERT_TRUE(facts.time.has_value());
  const analysis::TimeFacts& time = *facts.time;
  EXPECT_EQ(facts.first_step, 1);
  EXPECT_EQ(facts.last_step, 2);
  ASSERT_EQ(time.ops.size(), 2u);
  for (const analysis::OpTime& op : time.ops) EXPECT_EQ(op.count, 2u) << facts.texts[op.name];
  ASSERT_EQ(time.kernels.size(), 1u);
  EXPECT_EQ(time.kernels[0].name, "gemm");
  EXPECT_EQ(time.kernels[0].count, 2u);
  EXPECT_EQ(time.kernels[0].total_ns, 2'000'000);
  EXPECT_EQ(facts.texts[time.kernels[0].op], "aten::addmm");
  ASSERT_TRUE(time.launches.has_value());
  EXPECT_TRUE(time.launches->holds());
  EXPECT_EQ(time.launches->launches, 2u);
  ASSERT_EQ(time.phases.size(), 1u);
  EXPECT_EQ(time.phases[0].device_ns, 2'000'000);
  ASSERT_EQ(time.devices.size(), 1u);
  EXPECT_EQ(time.devices[0].busy_ns, 2'000'000);
}

TEST_F(TimedSession, ARunThatNeverCameToItsWindowHasNone) {
  step(0);
  const analysis::Facts facts = analysed();
  ASSERT_TRUE(facts.time.has_value());
  EXPECT_TRUE(facts.time->ops.empty());
}

}  // namespace
}  // namespace strata::test
