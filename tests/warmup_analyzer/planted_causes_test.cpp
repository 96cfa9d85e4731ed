// SPDX-License-Identifier: Apache-2.0
// A real run of this process, in which the test plants and times causes of a slow first step.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <string>
#include <thread>

#include "host/analysis/analyse.hpp"
#include "host/report/words/warm_up_words.hpp"
#include "strata/ext/activity.h"
#include "strata/runtime/session.hpp"
#include "tests/runtime/plugins/recording_sink.hpp"
#include "tests/temporary_folder.hpp"

namespace strata {
namespace {

using analysis::Cause;
using std::chrono::milliseconds;

constexpr int kSteps = 24;
constexpr std::size_t kTouchedBytes = std::size_t{200} << 20, kPieceBytes = std::size_t{128} << 10;

double clock_ns(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_nsec);
}

double time_of(const std::function<void()>& body, clockid_t clock = CLOCK_MONOTONIC) {
  const double begin = clock_ns(clock);
  body();
  return clock_ns(clock) - begin;
}

// Releases and touches the same few pages repeatedly: a virtual machine returns larger amounts of free memory
// to its host, and then each fault takes several times as long as those timed at the run's begin.
void touch_new_memory() {
  void* const memory = mmap(nullptr, kPieceBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  for (std::size_t touched = 0; touched < kTouchedBytes; touched += kPieceBytes) {
    for (std::size_t offset = 0; offset < kPieceBytes; offset += 4096)
      static_cast<volatile char*>(memory)[offset] = 1;
    madvise(memory, kPieceBytes, MADV_DONTNEED);
  }
  munmap(memory, kPieceBytes);
}

void compute(milliseconds time) {
  const double end = clock_ns(CLOCK_THREAD_CPUTIME_ID) + static_cast<double>(time.count()) * 1e6;
  while (clock_ns(CLOCK_THREAD_CPUTIME_ID) < end) {
  }
}

// Returns its processor time: time spent waiting for a processor depends on the machine.
double run_a_child() {
  const pid_t child = fork();
  if (child == 0) {
    compute(milliseconds(80));
    _exit(0);
  }
  rusage use{};
  wait4(child, nullptr, 0, &use);
  const auto ns = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_usec) * 1e3;
  };
  return ns(use.ru_utime) + ns(use.ru_stime);
}

class PlantedCauses : public testing::Test {
 protected:
  // Runs once; returns the analysis.
  analysis::Facts run() {
    SessionOptions options;
    options.name = "planted";
    options.directory = folder_.path();
    options.plugin_path = {WARMUP_PLUGINS, STRATA_TEST_PLUGINS};
    options.sources = {
        {"emitter", {{"sink", std::to_string(reinterpret_cast<std::uintptr_t>(&sink_)), ""}}, ""}};
    options.plugins = {{"warmup_analyzer", {}, ""}};
    options.strict = true;
    {
      Session session(options);
      session.begin_run();
      session.ready();
      for (std::uint64_t step = 0; step < kSteps; ++step) run_step(session, step);
      session.end_run(RunEnd::kDone);
    }
    return analysis::analyse(folder_.path());
  }

  void run_step(Session& session, std::uint64_t index) {
    Step step(session, index, 1);
    const bool is_first = index == 0;
    const auto phase = [&](PhaseKind kind, const char* name, const std::function<void()>& body) {
      const Phase open(session, kind, name);
      compute(milliseconds(2));
      if (is_first) body();
    };
    phase(PhaseKind::kData, "data",
          [&] { sleep_ns_ = time_of([] { std::this_thread::sleep_for(milliseconds(150)); }); });
    phase(PhaseKind::kForward, "forward",
          [&] { touch_ns_ = time_of(touch_new_memory, CLOCK_THREAD_CPUTIME_ID); });
    phase(PhaseKind::kLoss, "loss", [&] {
      library_ns_ =
          time_of([] { EXPECT_NE(dlopen(SLOW_LIBRARY_FILE, RTLD_NOW | RTLD_LOCAL), nullptr) << dlerror(); });
    });
    phase(PhaseKind::kBackward, "backward", [&] {
      // Time spent waiting for a processor is a separate cause.
      call_ns_ = time_of([&] { call("aten::convolution", milliseconds(100)); }, CLOCK_THREAD_CPUTIME_ID);
      context_ns_ = time_of([&] { make_context(milliseconds(90)); });
    });
    phase(PhaseKind::kOther, "compile",
          [&] { child_waited_ns_ = time_of([&] { child_ns_ = run_a_child(); }) - child_ns_; });
    step.end({.optimizer_ran = true, .loss = 1.0, .tokens = 1});
  }

  void call(const char* name, milliseconds time) {
    strata_op_info op{};
    op.struct_size = sizeof op;
    sink_.emit->intern(sink_.source_host, name, std::string_view(name).size(), &op.name);
    op.autograd_sequence = -1;
    const std::uint64_t begun = sink_.emit->op_begin(sink_.source_host, &op);
    compute(time);
    sink_.emit->op_end(sink_.source_host, begun);
  }

  // As a broker reports it, afterwards.
  void make_context(milliseconds time) {
    strata_activity_event event{};
    event.struct_size = sizeof event;
    event.kind = STRATA_ACTIVITY_API;
    event.detail = STRATA_API_DRIVER;
    event.thread = static_cast<std::uint32_t>(gettid());
    constexpr std::string_view kName = "cuDevicePrimaryCtxRetain";
    sink_.emit->intern(sink_.source_host, kName.data(), kName.size(), &event.name);
    event.begin_ns = static_cast<std::int64_t>(clock_ns(CLOCK_MONOTONIC));
    std::this_thread::sleep_for(time);
    event.end_ns = static_cast<std::int64_t>(clock_ns(CLOCK_MONOTONIC));
    sink_.emit->activity(sink_.source_host, &event);
  }

  static void expect_near(const analysis::SlowStep& step, Cause cause, double expected_ns,
                          double within = 0.2) {
    double found = 0.0;
    std::string proof = "not found";
    for (const analysis::CauseShare& share : step.causes) {
      if (share.cause != cause) continue;
      found = share.ns;
      proof = report::proof_text(share.proofs);
    }
    EXPECT_NEAR(found / 1e6, expected_ns / 1e6, within * expected_ns / 1e6)
        << report::cause_title(cause) << ": " << proof;
  }

  test::TemporaryFolder folder_;
  RecordingSink sink_;
  double sleep_ns_ = 0.0, touch_ns_ = 0.0, library_ns_ = 0.0, call_ns_ = 0.0, context_ns_ = 0.0,
         child_ns_ = 0.0, child_waited_ns_ = 0.0;
};

TEST_F(PlantedCauses, AreFoundWithTheirTimes) {
  const analysis::Facts facts = run();
  ASSERT_FALSE(facts.warm_up.steps.empty());
  const analysis::SlowStep& first = facts.warm_up.steps.front();
  EXPECT_EQ(first.step, 0);
  expect_near(first, Cause::kDataLoader, sleep_ns_);
  // The cost of a fault is measured at the run's begin, and doubles when the machine is busy.
  expect_near(first, Cause::kPageFaults, touch_ns_, 0.7);
  expect_near(first, Cause::kSharedLibraries, library_ns_);
  expect_near(first, Cause::kLibraryHandles, call_ns_);
  expect_near(first, Cause::kContext, context_ns_);
  expect_near(first, Cause::kPrograms, child_ns_);
  const auto library = std::ranges::find(first.causes, Cause::kSharedLibraries, &analysis::CauseShare::cause);
  ASSERT_NE(library, first.causes.end());
  const std::string proof = report::proof_text(library->proofs);
  EXPECT_NE(proof.find("slow_library.so"), std::string::npos) << proof;
  double given = first.unattributed_ns;
  for (const analysis::CauseShare& share : first.causes) given += share.ns;
  EXPECT_NEAR(given, first.excess_ns, 1e3);
  EXPECT_LT(first.unattributed_ns, child_waited_ns_ + 0.1 * first.excess_ns);
}

}  // namespace
}  // namespace strata
