// SPDX-License-Identifier: Apache-2.0
// Operators: their begin and end, and how a backward node is matched with the forward operator that made
// it.
#include <ATen/record_function.h>
#include <gtest/gtest.h>
#include <link.h>

#include <torch/torch.h>
#include <string_view>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "tests/sources_torch/traced_run.hpp"

namespace strata::test {
namespace {

std::vector<OpRecord> named(const std::vector<OpRecord>& ops, std::string_view name) {
  std::vector<OpRecord> found;
  std::copy_if(ops.begin(), ops.end(), std::back_inserter(found),
               [&](const OpRecord& op) { return op.name == name; });
  return found;
}

// Of the operators that carried the node's number on its forward thread, the last one to begin made it:
// earlier ones made no node, or only called the maker.
std::string forward_of(const std::vector<OpRecord>& ops, const OpRecord& node) {
  std::string maker;
  for (const OpRecord& op : ops) {
    if (op.info.kind == STRATA_OP_FORWARD && op.begin_sequence < node.begin_sequence &&
        op.info.autograd_sequence == node.info.autograd_sequence &&
        op.info.forward_thread == node.info.forward_thread) {
      maker = op.name;
    }
  }
  return maker;
}

TEST(OpObserver, TellsBeginAndEndInNestingOrder) {
  TracedRun run;
  const torch::Tensor a = torch::ones({4, 4});
  const torch::Tensor product = torch::matmul(a, a);
  const std::vector<OpRecord> outer = named(run.host().ops(), "aten::matmul");
  const std::vector<OpRecord> inner = named(run.host().ops(), "aten::mm");
  ASSERT_EQ(outer.size(), 1u);
  ASSERT_EQ(inner.size(), 1u);
  EXPECT_EQ(inner[0].info.parent, outer[0].info.ordinal);
  EXPECT_LT(outer[0].begin_sequence, inner[0].begin_sequence);
  EXPECT_LT(inner[0].begin_sequence, inner[0].end_sequence);
  EXPECT_LT(inner[0].end_sequence, outer[0].end_sequence);
}

TEST(OpObserver, TellsTheEndOfAnOperatorThatThrows) {
  TracedRun run;
  const torch::Tensor a = torch::ones({2, 3});
  EXPECT_THROW(torch::mm(a, a), c10::Error);
  const std::vector<OpRecord> ops = named(run.host().ops(), "aten::mm");
  ASSERT_EQ(ops.size(), 1u);
  EXPECT_GT(ops[0].end_sequence, ops[0].begin_sequence);
  for (const OpRecord& op : run.host().ops()) EXPECT_NE(op.end_sequence, 0u) << op.name;
}

TEST(OpObserver, JoinsBackwardNodesWithTheirForwardOperators) {
  TracedRun run;
  const torch::Tensor weight = torch::ones({4, 4}, torch::requires_grad());
  torch::Tensor loss;
  // Made on a different thread from backward: numbers are per thread.
  std::thread([&] { loss = torch::linear(torch::ones({4, 4}), weight).relu().exp().sum(); }).join();
  loss.backward();
  const std::vector<OpRecord> ops = run.host().ops();
  const auto forward_of_node = [&](std::string_view name) {
    const std::vector<OpRecord> nodes = named(ops, name);
    return nodes.size() == 1 && nodes[0].info.kind == STRATA_OP_BACKWARD ? forward_of(ops, nodes[0])
                                                                         : "no such node";
  };
  EXPECT_EQ(forward_of_node("MmBackward0"), "aten::mm");
  EXPECT_EQ(forward_of_node("ReluBackward0"), "aten::relu");
  EXPECT_EQ(forward_of_node("ExpBackward0"), "aten::exp");
  EXPECT_EQ(forward_of_node("SumBackward0"), "aten::sum");
  const std::vector<OpRecord> accumulate = named(ops, "torch::autograd::AccumulateGrad");
  ASSERT_EQ(accumulate.size(), 1u);
  EXPECT_EQ(accumulate[0].info.autograd_sequence, -1);
}

TEST(OpObserver, TellsRangesThatTheProgramNamed) {
  TracedRun run;
  { RECORD_USER_SCOPE("my range"); }
  const std::vector<OpRecord> ops = run.host().ops();
  ASSERT_EQ(ops.size(), 1u);
  EXPECT_EQ(ops[0].name, "my range");
  EXPECT_EQ(ops[0].info.kind, STRATA_OP_USER);
}

TEST(OpObserver, KeepsNamesApart) {
  TracedRun run;
  constexpr int kNames = 3000;  // more than a thread caches
  for (int round = 0; round < 2; ++round) {
    for (int name = 0; name < kNames; ++name) {
      RECORD_USER_SCOPE("range " + std::to_string(name));
    }
  }
  const std::vector<OpRecord> ops = run.host().ops();
  ASSERT_EQ(ops.size(), std::size_t{2} * kNames);
  for (int name = 0; name < kNames; ++name) {
    EXPECT_EQ(ops[static_cast<std::size_t>(name)].name, "range " + std::to_string(name));
    EXPECT_EQ(ops[static_cast<std::size_t>(kNames + name)].name, "range " + std::to_string(name));
  }
}

TEST(OpObserver, AsksForARepeatedNameOnce) {
  TracedRun run;
  const torch::Tensor a = torch::ones({4});
  for (int i = 0; i < 100; ++i) a.neg();
  const std::vector<OpRecord> ops = named(run.host().ops(), "aten::neg");
  ASSERT_EQ(ops.size(), 100u);
  for (const OpRecord& op : ops) EXPECT_EQ(op.info.name.id, ops[0].info.name.id);
}

TEST(OpObserver, FollowsInterestAtStepEdges) {
  TracedRun run;
  const torch::Tensor a = torch::ones({4});
  const std::size_t before = run.host().ops().size();
  run.host().set_interest(STRATA_INTEREST_MEMORY);
  run.host().begin_step(0);
  a.neg();
  EXPECT_FALSE(at::getStepCallbacksUnlessEmpty(at::RecordScope::FUNCTION).has_value());
  EXPECT_EQ(run.host().ops().size(), before);
  run.host().set_interest(UINT32_MAX);
  run.host().begin_step(1);
  a.neg();
  EXPECT_EQ(run.host().ops().size(), before + 1);
}

std::vector<std::size_t> ops_in_steps(TracedRun& run, const std::vector<std::uint32_t>& schedules) {
  const torch::Tensor a = torch::ones({4});
  std::vector<std::size_t> counts;
  for (std::size_t step = 0; step < schedules.size(); ++step) {
    const std::size_t before = run.host().ops().size();
    run.host().begin_step(step, schedules[step]);
    a.neg();
    counts.push_back(run.host().ops().size() - before);
  }
  return counts;
}

constexpr auto kWait = STRATA_STEP_WAIT, kWarmup = STRATA_STEP_WARMUP, kActive = STRATA_STEP_ACTIVE;

TEST(OpObserver, LooksAtNoWaitingStepButTheFirst) {
  TracedRun run;
  EXPECT_EQ(ops_in_steps(run, {kWait, kWait, kWait, kWarmup, kActive}),
            (std::vector<std::size_t>{1, 0, 0, 1, 1}));
}

TEST(OpObserver, LooksAtEveryStepWhenAskedFor) {
  const std::map<std::string, std::string> whole_run{{"ops", "run"}};
  TracedRun run(whole_run);
  EXPECT_EQ(ops_in_steps(run, {kWait, kWait, kActive}), (std::vector<std::size_t>{1, 1, 1}));
}

TEST(OpObserver, IsAbsentWhenSwitchedOff) {
  const std::map<std::string, std::string> without_ops{{"ops", "none"}};
  TracedRun run(without_ops);
  torch::ones({4}).neg();
  EXPECT_TRUE(run.host().ops().empty());
  EXPECT_FALSE(at::hasGlobalCallbacks());
}

// The source is opened late, when the space for thread-local data may be used up.
TEST(OpObserver, KeepsItsNamesOutOfThreadLocalData) {
  const TracedRun run;
  std::size_t bytes = 0;
  dl_iterate_phdr(
      [](dl_phdr_info* library, std::size_t, void* found) {
        if (std::string_view(library->dlpi_name).find("sources/torch-") == std::string_view::npos) return 0;
        for (int i = 0; i < library->dlpi_phnum; ++i) {
          const auto& segment = library->dlpi_phdr[i];
          if (segment.p_type == PT_TLS) *static_cast<std::size_t*>(found) = segment.p_memsz;
        }
        return 0;
      },
      &bytes);
  EXPECT_GT(bytes, 0u);
  EXPECT_LT(bytes, 1024u);
}

TEST(OpObserver, LeavesAnOperatorThatOutlivesTheRunOpen) {
  TracedRun run;
  at::RecordFunction range(at::RecordScope::USER_SCOPE);
  range.before("outlives the run");
  run.end();
  range.end();
  const std::vector<OpRecord> ops = run.host().ops();
  ASSERT_EQ(ops.size(), 1u);
  EXPECT_EQ(ops[0].end_sequence, 0u);
}

}  // namespace
}  // namespace strata::test
