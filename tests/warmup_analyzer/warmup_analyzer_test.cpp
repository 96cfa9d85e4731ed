// SPDX-License-Identifier: Apache-2.0
// The rows that the plugin writes for its events.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "plugins/warmup_analyzer/tables.hpp"
#include "strata/ext/activity.h"
#include "strata/ext/op.h"
#include "strata/ext/phase.h"
#include "strata/ext/step.h"
#include "tests/fake_host/fake_host.hpp"

namespace strata::test {
namespace {

using warmup_analyzer::ActivityRow;
using warmup_analyzer::CallRow;
using warmup_analyzer::CostRow;
using warmup_analyzer::Edge;
using warmup_analyzer::OperatorRow;
using warmup_analyzer::SampleRow;

strata_when at(std::int64_t ns, std::uint64_t op = STRATA_NONE, std::uint32_t thread = 41) {
  return {.struct_size = sizeof(strata_when),
          .thread = thread,
          .sequence = static_cast<std::uint64_t>(ns),
          .monotonic_ns = ns,
          .step = 0,
          .micro_batch = 0,
          .phase = 5,
          .op = op,
          .module = STRATA_NONE,
          .reserved = 0};
}

strata_op_info op_of(const char* name, std::uint32_t id, std::uint64_t ordinal,
                     std::uint64_t parent = STRATA_NONE) {
  strata_op_info op{};
  op.struct_size = sizeof(strata_op_info);
  op.kind = STRATA_OP_FORWARD;
  op.name = strata_name{name, id, 0};
  op.ordinal = ordinal;
  op.parent = parent;
  op.autograd_sequence = -1;
  op.forward_thread = 0;
  return op;
}

class WarmupAnalyzerTest : public testing::Test {
 protected:
  void load(std::map<std::string, std::string> options = {}) {
    host_ = std::make_unique<FakeHost>(std::move(options));
    host_->load(WARMUP_ANALYZER_FILE);
    host_->begin_run();
  }
  void TearDown() override {
    if (host_) host_->destroy();
  }

  void step(
      std::uint64_t index, const std::function<void()>& body = [] {}) {
    const auto* steps = host_->listener<strata_step_listener>(STRATA_EXT_STEP);
    const strata_step_info info{sizeof(info), STRATA_STEP_ACTIVE, index, 1, 0, STRATA_NO_EPOCH};
    const strata_step_result result{sizeof(result), 1, 0.0, 0};
    const strata_when when = at(1'000 + static_cast<std::int64_t>(index));
    const std::uint64_t token = steps->begin(host_->self(), &when, &info);
    body();
    steps->end(host_->self(), &when, &info, &result, token);
  }

  void phase() {
    const auto* phases = host_->listener<strata_phase_listener>(STRATA_EXT_PHASE);
    const strata_phase_info info{sizeof(info), STRATA_PHASE_DATA, {"data", 3, 0}, 5, 0};
    const strata_when when = at(2'000);
    phases->end(host_->self(), &when, &info, phases->begin(host_->self(), &when, &info));
  }

  std::uint64_t begin(std::int64_t ns, const strata_op_info& op) {
    const auto* ops = host_->listener<strata_op_listener>(STRATA_EXT_OP);
    const strata_when when = at(ns, op.parent);
    return ops->begin(host_->self(), &when, &op);
  }
  void end(std::int64_t ns, const strata_op_info& op, std::uint64_t token, std::uint32_t thread = 41) {
    const auto* ops = host_->listener<strata_op_listener>(STRATA_EXT_OP);
    const strata_when when = at(ns, op.parent, thread);
    ops->end(host_->self(), &when, &op, token);
  }

  std::vector<CallRow> calls() const { return host_->rows<CallRow>("call"); }

  std::unique_ptr<FakeHost> host_;
};

TEST_F(WarmupAnalyzerTest, WantsTheWholeRun) {
  load();
  EXPECT_STREQ(host_->descriptor().id, "warmup_analyzer");
  EXPECT_EQ(host_->descriptor().flags, STRATA_DESCRIPTOR_WHOLE_RUN);
}

TEST_F(WarmupAnalyzerTest, MeasuresWhatAFaultAndAThreadTake) {
  load();
  const std::vector<CostRow> costs = host_->rows<CostRow>("cost");
  ASSERT_EQ(costs.size(), 2u);
  EXPECT_GT(costs[0].ns, 20.0);
  EXPECT_LT(costs[0].ns, 1e6);
  EXPECT_GT(costs[0].count, 0u);
  EXPECT_GT(costs[1].ns, 500.0);
}

TEST_F(WarmupAnalyzerTest, SamplesTheEdgesOfStepsAndPhases) {
  load();
  step(0, [&] { phase(); });
  const std::vector<SampleRow> rows = host_->rows<SampleRow>("sample");
  std::vector<Edge> edges;
  for (const SampleRow& row : rows) edges.push_back(static_cast<Edge>(row.edge));
  EXPECT_EQ(edges, (std::vector{Edge::kRunBegin, Edge::kStepBegin, Edge::kPhaseBegin, Edge::kPhaseEnd,
                                Edge::kStepEnd}));
  EXPECT_EQ(rows[2].phase, 5u);
  EXPECT_GT(rows[4].minor_faults, 0u);
  EXPECT_GE(rows[4].threads, 1u);
  EXPECT_GT(rows[4].libraries, 3u);
  EXPECT_GE(rows[4].thread_cpu_ns, rows[0].thread_cpu_ns);
}

TEST_F(WarmupAnalyzerTest, LaterStepsAreSampledAtTheirEdgesAndEachSixteenthByPhases) {
  load({{"steps", "2"}});
  for (std::uint64_t index = 0; index < 17; ++index) step(index, [&] { phase(); });
  EXPECT_EQ(host_->rows<SampleRow>("sample").size(), 1u + 17 * 2 + 3 * 2);
}

TEST_F(WarmupAnalyzerTest, TimesFirstCallsWithoutTheOperatorsWithin) {
  load();
  step(0, [&] {
    const strata_op_info outer = op_of("aten::linear", 50, 1), inner = op_of("aten::addmm", 51, 2, 1);
    const std::uint64_t outer_token = begin(100, outer);
    const std::uint64_t inner_token = begin(150, inner);
    end(250, inner, inner_token);
    end(400, outer, outer_token);
    end(560, outer, begin(500, outer));
  });
  ASSERT_EQ(calls().size(), 2u);
  EXPECT_EQ(calls()[0].name, 51u);
  EXPECT_EQ(calls()[0].self_ns, 100);
  EXPECT_EQ(calls()[1].name, 50u);
  EXPECT_EQ(calls()[1].self_ns, 200);
  EXPECT_EQ(calls()[1].begin_ns, 100);
  EXPECT_EQ(calls()[1].end_ns, 400);
  EXPECT_EQ(calls()[1].first, 1u);
  const std::vector<OperatorRow> sums = host_->rows<OperatorRow>("operator");
  ASSERT_EQ(sums.size(), 2u);
  const OperatorRow& linear = sums[0].name == 50 ? sums[0] : sums[1];
  EXPECT_EQ(linear.calls, 2u);
  EXPECT_EQ(linear.self_ns, 260);
  EXPECT_EQ(linear.step, 0u);
}

TEST_F(WarmupAnalyzerTest, WritesALaterCallThatTakesFarLonger) {
  load();
  const strata_op_info op = op_of("aten::convolution", 60, 1);
  step(0, [&] {
    for (std::int64_t call = 0; call < 10; ++call)
      end(call * 1'000'000 + 50'000, op, begin(call * 1'000'000, op));
    end(29'000'000, op, begin(20'000'000, op));
  });
  ASSERT_EQ(calls().size(), 2u);
  EXPECT_EQ(calls()[1].first, 0u);
  EXPECT_EQ(calls()[1].self_ns, 9'000'000);
}

TEST_F(WarmupAnalyzerTest, TimesNoOperatorOnceEnoughStepsWereLookedAt) {
  load({{"steps", "1"}});
  const strata_op_info early = op_of("aten::add", 70, 1), late = op_of("aten::mul", 71, 2);
  step(0, [&] { end(20, early, begin(10, early)); });
  step(1, [&] { end(40, late, begin(30, late)); });
  EXPECT_EQ(calls().size(), 1u);
  EXPECT_EQ(host_->rows<OperatorRow>("operator").size(), 1u);
}

TEST_F(WarmupAnalyzerTest, OperatorsOutsideOfStepsAreOfNoStep) {
  load();
  const strata_op_info op = op_of("aten::empty", 80, 1);
  end(20, op, begin(10, op));
  step(0);
  EXPECT_EQ(calls().size(), 1u);
  EXPECT_TRUE(host_->rows<OperatorRow>("operator").empty());
}

TEST_F(WarmupAnalyzerTest, LeavesAloneWhatAnotherThreadBegan) {
  load();
  const strata_op_info op = op_of("aten::add", 90, 1);
  const std::uint64_t token = begin(10, op);
  end(20, op, token, 42);  // the run's end, on another thread
  EXPECT_TRUE(calls().empty());
}

TEST_F(WarmupAnalyzerTest, KeepsOfADevicesActivitiesThoseOfAStart) {
  load();
  const auto* activities = host_->listener<strata_activity_listener>(STRATA_EXT_ACTIVITY);
  const auto tell = [&](std::uint32_t kind, const char* name, std::int64_t ns) {
    strata_activity_event event{};
    event.struct_size = sizeof event;
    event.kind = kind;
    event.name = {name, 7, 0};
    event.begin_ns = 100;
    event.end_ns = 100 + ns;
    event.thread = 9;
    event.bytes = 11;
    const strata_when when = at(5'000);
    activities->on_activity(host_->self(), &when, &event);
  };
  tell(STRATA_ACTIVITY_KERNEL, "gemm", 9'000'000);
  tell(STRATA_ACTIVITY_API, "cudaLaunchKernel", 5'000);
  tell(STRATA_ACTIVITY_API, "cudaDeviceSynchronize", 9'000'000);
  tell(STRATA_ACTIVITY_API, "cudaMalloc", 5'000);
  tell(STRATA_ACTIVITY_API, "cudaLaunchKernel", 9'000'000);
  tell(STRATA_ACTIVITY_OVERHEAD, "", 10);
  tell(STRATA_ACTIVITY_MODULE, "", 0);
  tell(STRATA_ACTIVITY_JIT, "", 10);
  const std::vector<ActivityRow> rows = host_->rows<ActivityRow>("activity");
  ASSERT_EQ(rows.size(), 5u);
  EXPECT_EQ(rows[0].end_ns, 5'100);
  EXPECT_EQ(rows[1].end_ns, 9'000'100);
  EXPECT_EQ(rows[0].thread, 9u);
  EXPECT_EQ(rows[0].bytes, 11u);
}

TEST_F(WarmupAnalyzerTest, ReadsNoFieldThatAnOlderSourceDoesNotSend) {
  load();
  const auto* activities = host_->listener<strata_activity_listener>(STRATA_EXT_ACTIVITY);
  strata_activity_event event{};
  event.struct_size = offsetof(strata_activity_event, detail);
  event.kind = STRATA_ACTIVITY_JIT;
  event.name = {"", 0, 0};
  event.detail = 77;
  event.thread = 78;
  const strata_when when = at(5'000);
  activities->on_activity(host_->self(), &when, &event);
  const std::vector<ActivityRow> rows = host_->rows<ActivityRow>("activity");
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].detail, 0u);
  EXPECT_EQ(rows[0].thread, 0u);
}

}  // namespace
}  // namespace strata::test
