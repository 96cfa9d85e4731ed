// SPDX-License-Identifier: Apache-2.0
// A step small enough to write down its memory by hand, line by line.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include <map>
#include <string>
#include <vector>

#include "tests/sources_torch/traced_run.hpp"

namespace strata::test {
namespace {

// "allocate 32 aten::mm", with the innermost operator open on the event's thread; frees with the block's
// size.
std::vector<std::string> lines(const FakeHost& host) {
  const std::vector<OpRecord> ops = host.ops();
  const auto innermost = [&](const MemoryRecord& record) {
    std::string name;
    for (const OpRecord& op : ops) {
      if (op.thread == record.thread && op.begin_sequence < record.sequence &&
          record.sequence < op.end_sequence) {
        name = op.name;  // operators are in order of their begin: the last one is the innermost
      }
    }
    return name;
  };
  std::map<std::uint64_t, std::uint64_t> bytes;
  std::vector<std::string> result;
  for (const MemoryRecord& record : host.memory()) {
    const bool allocate = record.event.action == STRATA_MEMORY_ALLOCATE;
    if (allocate) bytes[record.event.address] = record.event.bytes;
    result.push_back(fmt::format("{} {} {}", allocate ? "allocate" : "free", bytes.at(record.event.address),
                                 innermost(record)));
  }
  return result;
}

TEST(KnownRows, OfAPerceptronsStep) {
  torch::set_num_threads(1);
  TracedRun run;
  const torch::Tensor input = torch::ones({2, 3});                           // 2 * 3 * 4 bytes = 24
  const torch::Tensor weight = torch::ones({3, 5}, torch::requires_grad());  // 3 * 5 * 4 bytes = 60
  {
    const torch::Tensor loss = torch::mm(input, weight).relu().sum();  // 2 * 5 * 4 = 40, the same, 4
    loss.backward();
  }
  const std::vector<std::string> expected{
      "allocate 24 aten::empty",      // the input
      "allocate 60 aten::empty",      // the weight
      "allocate 40 aten::mm",         // the product
      "allocate 40 aten::clamp_min",  // relu's result, which its node saves for backward
      "allocate 4 aten::sum",         // the loss
      "free 40 ",                     // the product: relu needs only its own result
      "allocate 4 aten::empty",       // the gradient of the loss, one
      "allocate 40 aten::threshold_backward",
      "free 40 autograd::engine::evaluate_function: ReluBackward0",  // relu's result
      "allocate 60 aten::mm",                                        // the weight's gradient, which stays
      "free 40 autograd::engine::evaluate_function: MmBackward0",    // the product's gradient
      "free 4 ",
      "free 4 ",
  };
  EXPECT_EQ(lines(run.host()), expected);
}

}  // namespace
}  // namespace strata::test
