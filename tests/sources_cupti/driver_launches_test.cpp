// SPDX-License-Identifier: Apache-2.0
// Libraries launch device work without the runtime: cuBLAS, cuDNN, NCCL and Triton call the driver. CUPTI has
// no runtime call for that work, but the work still gets its op, its phase and its layer.
#include <cupti.h>

#include <map>
#include <mutex>
#include <thread>

#include "tests/sources_cupti/cupti_session.hpp"

namespace strata::test {
namespace {

using Rows = std::vector<std::string>;

class CuptiDriverLaunches : public CuptiSession {
 protected:
  // Runs `body` inside an op, a module and a phase.
  template <typename Body>
  void run_within(Body&& body) {
    run([&](Session& session) {
      phase_ = session.begin_phase(PhaseKind::kForward, "forward");
      module_ = session.begin_module("layers.0", "Linear", ModuleDirection::kForward);
      op_ = begin_op();
      body();
      end_op(op_);
      session.end_module(module_);
      session.end_phase(phase_);
    });
  }
  void expect_origin(std::uint32_t kind, std::size_t count) {
    const auto told = sink_.of(kind);
    EXPECT_EQ(told.size(), count);
    for (const auto& each : told) {
      EXPECT_EQ(each.event.op, op_) << each.name;
      EXPECT_EQ(each.event.phase, phase_) << each.name;
      EXPECT_EQ(each.event.module, module_) << each.name;
    }
  }

  std::uint64_t op_ = 0;
  std::uint32_t phase_ = 0, module_ = 0;
};

TEST_F(CuptiDriverLaunches, HaveTheirOriginAndAreCountedAsLaunches) {
  run_within([&] {
    fake_.launch("of the runtime", 10);
    for (const CUpti_driver_api_trace_cbid function :
         {CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx,
          CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel, CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch})
      fake_.launch_by_driver(function, "of a library");
  });
  expect_origin(STRATA_ACTIVITY_KERNEL, 5);
  expect_origin(STRATA_ACTIVITY_API, 5);
  EXPECT_EQ(sink_.of(STRATA_ACTIVITY_API)[2].name, "cuLaunchKernelEx");
  EXPECT_EQ(captures("kernels, launches, answered_launches, without_call"), (Rows{"5|5|5|0"}));
  EXPECT_EQ(text("refused_kinds"), "");
}

TEST_F(CuptiDriverLaunches, OfCopiesAndFillsHaveTheirOrigin) {
  run_within([&] {
    fake_.copy_by_driver();
    fake_.fill_by_driver();
  });
  expect_origin(STRATA_ACTIVITY_COPY, 1);
  expect_origin(STRATA_ACTIVITY_SET, 1);
  EXPECT_EQ(captures("launches, without_call"), (Rows{"0|0"}));
}

// For a launch outside any driver function, CUPTI has another kind of record.
TEST_F(CuptiDriverLaunches, OutsideOfEveryFunctionHaveTheirOrigin) {
  run_within([&] { fake_.launch_within_driver("inner"); });
  expect_origin(STRATA_ACTIVITY_KERNEL, 1);
  EXPECT_EQ(captures("kernels, launches, answered_launches, without_call"), (Rows{"1|1|1|0"}));
}

TEST_F(CuptiDriverLaunches, NothingIsMissingWhereCuptiHasNoSuchKind) {
  fake_.refused_kind = CUPTI_ACTIVITY_KIND_INTERNAL_LAUNCH_API;
  run_within([&] { fake_.launch_by_driver(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx, "of a library"); });
  expect_origin(STRATA_ACTIVITY_KERNEL, 1);
  EXPECT_EQ(text("refused_kinds"), "") << "an older CUPTI records these launches as the driver's";
}

TEST_F(CuptiDriverLaunches, WithinACallOfTheRuntimeAreAPartOfIt) {
  run_within([&] { fake_.launch_by_both("kernel"); });
  expect_origin(STRATA_ACTIVITY_KERNEL, 1);
  const auto calls = sink_.of(STRATA_ACTIVITY_API);
  ASSERT_EQ(calls.size(), 1u) << "the call that the program made";
  EXPECT_EQ(calls[0].name, "cudaLaunchKernel");
  EXPECT_EQ(captures("kernels, launches, answered_launches"), (Rows{"1|1|1"}));
}

TEST_F(CuptiDriverLaunches, OnlyWhatLibrariesCallIsRecordedOfTheDriver) {
  run_within([&] { fake_.call_driver(CUPTI_DRIVER_TRACE_CBID_cuCtxGetCurrent); });
  EXPECT_TRUE(sink_.of(STRATA_ACTIVITY_API).empty());
  EXPECT_EQ(captures("calls"), (Rows{"0"})) << "no record of it was made";
  EXPECT_GT(fake_.disabled_driver_functions, 100);
  EXPECT_EQ(fake_.callbacks_at_calls, 0);
}

TEST_F(CuptiDriverLaunches, AllOfTheDriversIsRecordedWhenAskedFor) {
  set("kinds", "kernel,api,driver");
  run_within([&] {
    fake_.call_driver(CUPTI_DRIVER_TRACE_CBID_cuCtxGetCurrent);
    fake_.launch_by_driver(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, "kernel");
  });
  expect_origin(STRATA_ACTIVITY_API, 2);
  expect_origin(STRATA_ACTIVITY_KERNEL, 1);
  EXPECT_EQ(fake_.disabled_driver_functions, 0);
}

TEST_F(CuptiDriverLaunches, HaveTheirOriginBesideOtherSubscribers) {
  fake_.version = 130300;
  fake_.allows_sharing = true;
  run_within([&] { fake_.launch_by_driver(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx, "of a library"); });
  expect_origin(STRATA_ACTIVITY_KERNEL, 1);
  EXPECT_EQ(captures("regime, launches, answered_launches"), (Rows{"2|1|1"}));
  EXPECT_EQ(fake_.calls_of_wrong_kind, 0);
}

TEST_F(CuptiDriverLaunches, OfSeveralThreadsHaveEachTheirOwnOp) {
  constexpr int kThreads = 8, kLaunches = 200;
  set("buffer_bytes", "64KiB");
  std::mutex mutex;
  std::map<std::uint64_t, std::uint64_t> expected;  // op by correlation
  run([&](Session&) {
    std::vector<std::thread> threads;
    for (int thread = 0; thread < kThreads; ++thread) {
      threads.emplace_back([&] {
        for (int launch = 0; launch < kLaunches; ++launch) {
          const std::uint64_t op = begin_op();
          const std::uint32_t correlation =
              launch % 2 == 0
                  ? fake_.launch("of the runtime", 10)
                  : fake_.launch_by_driver(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx, "of a library");
          end_op(op);
          const std::scoped_lock lock(mutex);
          expected[correlation] = op;
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
  });
  const auto kernels = sink_.of(STRATA_ACTIVITY_KERNEL);
  ASSERT_EQ(kernels.size(), std::size_t{kThreads * kLaunches});
  for (const HeardActivity& kernel : kernels)
    EXPECT_EQ(kernel.event.op, expected.at(kernel.event.correlation));
  EXPECT_EQ(captures("launches = answered_launches, without_call"), (Rows{"1|0"}));
}

}  // namespace
}  // namespace strata::test
