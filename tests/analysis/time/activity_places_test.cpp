// SPDX-License-Identifier: Apache-2.0
// How an activity is assigned its operator, layer and phase: by its source, or by its API call. If both are
// available, they agree.
#include "host/analysis/time/activity_places.hpp"

#include <gtest/gtest.h>

#include "host/analysis/time/op_spans.hpp"
#include "strata/ext/activity.h"
#include "strata/ext/op.h"
#include "strata/ext/phase.h"
#include "tests/analysis/time/timed_run.hpp"

namespace strata::analysis {
namespace {

using testing::TimedRun;

class ActivityPlaces : public ::testing::Test {
 protected:
  ActivityPlaces() {
    run_.step(0, 0, 10'000);
    forward_ = run_.phase("forward", STRATA_PHASE_FORWARD, 0, 1000);
    backward_ = run_.phase("backward", STRATA_PHASE_BACKWARD, 1000, 5000);
    const auto module = run_.module("layers.0", 0, 500);
    linear_ = run_.op("aten::linear", {.begin_ns = 100, .end_ns = 200, .module = module});
    addmm_ = run_.op("aten::addmm", {.begin_ns = 120, .end_ns = 180, .parent = linear_, .module = module});
    node_ = run_.op(
        "MmBackward0",
        {.begin_ns = 1100, .end_ns = 1300, .thread = TimedRun::kAutograd, .kind = STRATA_OP_BACKWARD});
  }

  // Of the last activity added.
  ActivityPlace by_fields() { return look_up(&ActivityFinder::by_fields); }
  ActivityPlace by_call() { return look_up(&ActivityFinder::by_call); }
  ActivityPlace look_up(ActivityPlace (ActivityFinder::*way)(std::uint32_t) const) {
    const StepMoments moments(run_.recording());
    const auto spans = op_spans(run_.recording(), moments);
    const ActivityFinder finder(run_.recording(), moments, spans);
    return (finder.*way)(static_cast<std::uint32_t>(run_.recording().time.activities.size()) - 1);
  }

  TimedRun run_;
  std::uint32_t forward_ = 0, backward_ = 0;
  std::uint64_t linear_ = 0, addmm_ = 0, node_ = 0;
};

TEST_F(ActivityPlaces, AgreeBothWays) {
  struct Case {
    std::int64_t called_ns;
    std::uint32_t thread;
    std::uint64_t op;
    std::uint32_t phase;
  };
  for (const Case& one :
       {Case{150, TimedRun::kDriver, addmm_, forward_}, Case{110, TimedRun::kDriver, linear_, forward_},
        Case{190, TimedRun::kDriver, linear_, forward_}, Case{1200, TimedRun::kAutograd, node_, backward_}}) {
    const auto correlation =
        run_.call("cudaLaunchKernel", one.called_ns, one.called_ns + 5, true, one.thread);
    ActivityRow& kernel = run_.device(STRATA_ACTIVITY_KERNEL, 6000, 6100, correlation, "gemm");
    kernel.op = one.op;
    kernel.phase = one.phase;
    const ActivityPlace told = by_fields();
    EXPECT_EQ(told, by_call()) << one.called_ns;
    EXPECT_NE(told.op, kNoRow);
    EXPECT_NE(told.call, kNoRow);
  }
}

TEST_F(ActivityPlaces, KnowNothingOfACallOutsideOfOperators) {
  const auto correlation = run_.call("cudaLaunchKernel", 2000, 2005, true, TimedRun::kAutograd);
  run_.device(STRATA_ACTIVITY_KERNEL, 6000, 6100, correlation, "gemm");
  EXPECT_EQ(by_call().op, kNoRow);
  EXPECT_EQ(by_call().phase, 1u) << "the phase is the driver's, whose ever the call is";
  EXPECT_EQ(by_fields().op, kNoRow);
}

TEST_F(ActivityPlaces, TakeTheCallWhereNothingWasSaid) {
  const auto correlation = run_.call("cudaLaunchKernel", 150, 155);
  run_.device(STRATA_ACTIVITY_KERNEL, 6000, 6100, correlation, "gemm");
  const TimeFacts facts = run_.facts();
  ASSERT_EQ(facts.places.size(), 2u);
  EXPECT_EQ(facts.places[1].op, 1u);
  EXPECT_EQ(facts.places[1].phase, 0u);
  EXPECT_EQ(facts.places[1].layer, facts.spans[1].layer);
}

TEST_F(ActivityPlaces, OfAKernelWithoutItsCallAreUnknown) {
  run_.device(STRATA_ACTIVITY_KERNEL, 6000, 6100, 4711, "gemm");
  EXPECT_EQ(by_call(), ActivityPlace{});
}

}  // namespace
}  // namespace strata::analysis
