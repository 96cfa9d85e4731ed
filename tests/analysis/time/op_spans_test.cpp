// SPDX-License-Identifier: Apache-2.0
// Operators: callers, their own time, and their layer.
#include <gtest/gtest.h>

#include "strata/ext/op.h"
#include "strata/ext/phase.h"
#include "tests/analysis/time/timed_run.hpp"

namespace strata::analysis {
namespace {

using testing::find_row;
using testing::TimedRun;

class OpSpans : public ::testing::Test {
 protected:
  OpSpans() { run_.step(0, 0, 1000); }
  TimedRun run_;
};

TEST_F(OpSpans, AreAtWorkThemselvesWhenNoneThatTheyCalledIs) {
  const auto linear = run_.op("aten::linear", {.begin_ns = 10, .end_ns = 110});
  const auto addmm = run_.op("aten::addmm", {.begin_ns = 20, .end_ns = 80, .parent = linear});
  run_.op("aten::expand", {.begin_ns = 25, .end_ns = 30, .parent = addmm});
  run_.op("aten::view", {.begin_ns = 90, .end_ns = 100, .parent = linear});
  const TimeFacts facts = run_.facts();
  ASSERT_EQ(facts.spans.size(), 4u);
  EXPECT_EQ(facts.spans[0].self_ns, 100 - 60 - 10);
  EXPECT_EQ(facts.spans[1].self_ns, 60 - 5);
  EXPECT_EQ(facts.spans[1].parent, 0u);
  EXPECT_EQ(facts.spans[2].self_ns, 5);
  std::int64_t sum = 0;
  for (const OpTime& op : facts.ops) sum += op.self_ns;
  EXPECT_EQ(sum, 100);
}

TEST_F(OpSpans, CountACallOfTheirOwnNameOnce) {
  const auto outer = run_.op("aten::to", {.begin_ns = 0, .end_ns = 50});
  const auto between = run_.op("aten::copy", {.begin_ns = 5, .end_ns = 45, .parent = outer});
  run_.op("aten::to", {.begin_ns = 10, .end_ns = 40, .parent = between});
  const TimeFacts facts = run_.facts();
  const OpTime& to = facts.ops.front().count == 2 ? facts.ops.front() : facts.ops.back();
  EXPECT_EQ(to.count, 2u);
  EXPECT_EQ(to.total_ns, 50);
  EXPECT_EQ(to.self_ns, 10 + 30);
}

TEST_F(OpSpans, OutsideOfTheWindowCountForNothing) {
  run_.op("aten::mm", {.begin_ns = 1500, .end_ns = 1600});
  const TimeFacts facts = run_.facts();
  EXPECT_TRUE(facts.ops.empty());
  EXPECT_EQ(facts.spans.size(), 1u) << "an export has the whole run";
  EXPECT_EQ(facts.steps.at(0).operators, 0u);
}

TEST_F(OpSpans, TakeNoParentThatCannotBe) {
  run_.op("aten::a", {.begin_ns = 10, .end_ns = 20});
  run_.op("aten::b", {.begin_ns = 30, .end_ns = 40, .parent = 2});    // is over
  run_.op("aten::c", {.begin_ns = 31, .end_ns = 39, .parent = 999});  // does not exist
  run_.op("aten::d", {.begin_ns = 15, .end_ns = 18, .parent = 2, .thread = 7});
  run_.op("aten::e", {.begin_ns = 15, .end_ns = 900, .parent = 2});  // ends with its parent
  const TimeFacts facts = run_.facts();
  ASSERT_EQ(facts.spans.size(), 5u);
  for (const std::size_t index : {1u, 2u, 3u}) EXPECT_EQ(facts.spans[index].parent, kNoRow) << index;
  EXPECT_EQ(facts.spans[4].parent, 0u);
  EXPECT_EQ(facts.spans[4].end_ns, 20);
  EXPECT_EQ(facts.spans[0].self_ns, 5);
}

TEST_F(OpSpans, OfBackwardBelongToTheLayerOfTheirForwardOperator) {
  run_.phase("forward", STRATA_PHASE_FORWARD, 0, 100);
  run_.phase("backward", STRATA_PHASE_BACKWARD, 100, 900);
  const auto module = run_.module("layers.0", 0, 50);
  run_.op("aten::mm", {.begin_ns = 10, .end_ns = 20, .module = module, .autograd_sequence = 5});
  const auto frame = run_.op("autograd::engine::evaluate_function: MmBackward0",
                             {.begin_ns = 200, .end_ns = 300, .thread = TimedRun::kAutograd});
  const auto node = run_.op("MmBackward0", {.begin_ns = 210,
                                            .end_ns = 290,
                                            .parent = frame,
                                            .thread = TimedRun::kAutograd,
                                            .kind = STRATA_OP_BACKWARD,
                                            .autograd_sequence = 5});
  run_.op("aten::mm", {.begin_ns = 220, .end_ns = 280, .parent = node, .thread = TimedRun::kAutograd});
  const TimeFacts facts = run_.facts();
  EXPECT_EQ(facts.spans[2].forward, 0u);
  EXPECT_FALSE(facts.spans[0].in_backward);
  for (const std::size_t index : {1u, 2u, 3u}) {
    EXPECT_TRUE(facts.spans[index].in_backward) << index;
    EXPECT_EQ(facts.spans[index].layer, facts.spans[0].layer) << index;
  }
  const LayerTime* const layer = find_row(facts.layers, &LayerTime::path, std::string("layers.0"));
  ASSERT_NE(layer, nullptr);
  EXPECT_EQ(layer->self.forward_ns, 10);
  EXPECT_EQ(layer->self.backward_ns, 100);
  EXPECT_EQ(facts.threads, 2u);
}

}  // namespace
}  // namespace strata::analysis
