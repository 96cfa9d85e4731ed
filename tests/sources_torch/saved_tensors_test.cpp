// SPDX-License-Identifier: Apache-2.0
// What autograd saves for backward; recording it changes nothing.
#include <gtest/gtest.h>
#include <torch/torch.h>

#include <map>
#include <string>
#include <vector>

#include "tests/sources_torch/traced_run.hpp"

namespace strata::test {
namespace {

const std::map<std::string, std::string> kSavedTensors{{"saved_tensors", "true"}};

std::uint64_t storage_of(const torch::Tensor& tensor) {
  return reinterpret_cast<std::uint64_t>(tensor.storage().data());
}

// Saves without a release yet, as address and storage bytes.
std::multimap<std::uint64_t, std::uint64_t> held(const std::vector<GraphRecord>& records) {
  std::map<std::uint64_t, strata_graph_event> open;
  for (const GraphRecord& record : records) {
    if (record.event.action == STRATA_GRAPH_SAVE) {
      EXPECT_TRUE(open.emplace(record.event.saved, record.event).second);
    } else {
      EXPECT_EQ(open.erase(record.event.saved), 1u);
    }
  }
  std::multimap<std::uint64_t, std::uint64_t> result;
  for (const auto& [saved, event] : open) result.emplace(event.address, event.storage_bytes);
  return result;
}

std::vector<float> train(int steps) {
  torch::manual_seed(1);
  torch::nn::Sequential model(torch::nn::Linear(16, 32),
                              torch::nn::LayerNorm(torch::nn::LayerNormOptions({32})), torch::nn::GELU(),
                              torch::nn::Dropout(0.1), torch::nn::Linear(32, 4), torch::nn::LogSoftmax(1));
  torch::optim::AdamW optimizer(model->parameters(), torch::optim::AdamWOptions(1e-2));
  std::vector<float> losses;
  for (int step = 0; step < steps; ++step) {
    const torch::Tensor loss = torch::nll_loss(model->forward(torch::randn({8, 16})), torch::arange(8) % 4);
    optimizer.zero_grad();
    loss.backward();
    optimizer.step();
    losses.push_back(loss.item<float>());
  }
  return losses;
}

TEST(SavedTensors, AreToldWithTheStorageTheyHold) {
  TracedRun run(kSavedTensors);
  const torch::Tensor input = torch::ones({2, 3});
  const torch::Tensor weight = torch::ones({3, 4}, torch::requires_grad());
  const torch::Tensor product = torch::mm(input, weight);        // keeps its input, for the weight's gradient
  const torch::Tensor output = product.narrow(1, 0, 2).exp();    // saves its output
  const torch::Tensor squared = product.narrow(1, 1, 2).pow(2);  // saves a view: the whole storage

  using Held = std::multimap<std::uint64_t, std::uint64_t>;
  EXPECT_EQ(held(run.host().graph()),
            (Held{{storage_of(input), 24}, {storage_of(output), 16}, {storage_of(product), 32}}));

  (output.sum() + squared.sum()).backward();
  EXPECT_TRUE(held(run.host().graph()).empty());
}

TEST(SavedTensors, HoldNoGraphAlive) {
  TracedRun run(kSavedTensors);
  {
    const torch::Tensor weight = torch::ones({64}, torch::requires_grad());
    const torch::Tensor output =
        weight.exp().tanh().sigmoid();  // each node saves its own output; no backward
  }
  EXPECT_EQ(run.host().graph().size(), 6u);
  EXPECT_TRUE(held(run.host().graph()).empty());
  EXPECT_EQ(replay(run.host().memory()).bytes(), 0u);
}

TEST(SavedTensors, AreToldInsideTheOperatorThatSaves) {
  TracedRun run(kSavedTensors);
  const torch::Tensor output = torch::ones({4}, torch::requires_grad()).exp();
  const std::vector<GraphRecord> records = run.host().graph();
  ASSERT_EQ(records.size(), 1u);
  EXPECT_EQ(run.host().ops().at(records[0].op - 1).name, "aten::exp");
}

TEST(SavedTensors, ChangeNoBitOfALoss) {
  const std::vector<float> untraced = train(20);
  std::vector<float> traced;
  {
    TracedRun run(kSavedTensors);
    traced = train(20);
    EXPECT_TRUE(held(run.host().graph()).empty());
    EXPECT_GT(run.host().graph().size(), 200u);
  }
  EXPECT_EQ(traced, untraced);
  EXPECT_NE(traced.back(), traced.front()) << "nothing was trained";
  EXPECT_EQ(train(20), untraced) << "after the run";
}

TEST(SavedTensors, ChangedInPlaceAreAnErrorAsBefore) {
  const auto backward_over_a_changed_tensor = [] {
    const torch::Tensor leaf = torch::ones({3}, torch::requires_grad());
    const torch::Tensor output = leaf.exp();
    output.detach().mul_(2);
    output.sum().backward();
  };
  EXPECT_THROW(backward_over_a_changed_tensor(), c10::Error);
  TracedRun run(kSavedTensors);
  try {
    backward_over_a_changed_tensor();
    FAIL() << "backward used a value that was overwritten";
  } catch (const c10::Error& error) {
    const std::string what = error.what();
    EXPECT_NE(what.find("modified by an inplace operation"), std::string::npos) << what;
    EXPECT_NE(what.find("is at version 1; expected version 0"), std::string::npos) << what;
  }
}

TEST(SavedTensors, SurviveDoubleBackwardAndRetainedGraphs) {
  const auto gradients = [] {
    const torch::Tensor x = torch::arange(1, 5, torch::kFloat).requires_grad_();
    const torch::Tensor y = x.pow(3).sum();
    const torch::Tensor first = torch::autograd::grad({y}, {x}, {}, true, true)[0];
    const torch::Tensor again = torch::autograd::grad({y}, {x}, {}, true)[0];
    const torch::Tensor second = torch::autograd::grad({first.sum()}, {x})[0];
    return torch::stack({first.detach(), again, second});
  };
  const torch::Tensor untraced = gradients();
  TracedRun run(kSavedTensors);
  EXPECT_TRUE(torch::equal(gradients(), untraced));
  EXPECT_TRUE(held(run.host().graph()).empty());
}

TEST(SavedTensors, AreNotToldUnlessAskedFor) {
  TracedRun run;
  const torch::Tensor output = torch::ones({4}, torch::requires_grad()).exp();
  EXPECT_TRUE(run.host().graph().empty());
}

TEST(SavedTensors, ReleasedAfterTheirRunAreNotToldToTheNext) {
  torch::Tensor output;
  {
    TracedRun first(kSavedTensors);
    output = torch::ones({4}, torch::requires_grad()).exp();
  }
  TracedRun second(kSavedTensors);
  output.sum().backward();
  for (const GraphRecord& record : second.host().graph()) EXPECT_EQ(record.event.action, STRATA_GRAPH_SAVE);
}

}  // namespace
}  // namespace strata::test
