// SPDX-License-Identifier: Apache-2.0
// What holds the results of a forward: the graph, another graph, a variable, or nothing.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <memory>

#include "host/trainer/checkpointing/saved_tensor_hooks.hpp"
#include "tests/counter_examples/recorded_program.hpp"

namespace strata::test {
namespace {

// Each example with autograd's records and by lifetimes only: the kinds must be the same.
class AutogradGraphs : public ::testing::TestWithParam<bool> {
 protected:
  AutogradGraphs() {
    program_.setup([&] { weight_ = at::randn({16, 8}).requires_grad_(); });
    program_.owns(TensorRole::kParameter, "weight", weight_);
  }

  // 128 bytes, not held by the graph.
  at::Tensor product(const at::Tensor& input) { return at::mm(input, weight_); }

  void show_gradient() { program_.owns(TensorRole::kGradient, "weight", weight_.grad(), weight_); }
  void clear() {
    program_.phase(PhaseKind::kZeroGrad, [&] { weight_.mutable_grad().reset(); });
  }

  RecordedProgram program_{GetParam()};
  at::Tensor weight_;  // 512 bytes
};

INSTANTIATE_TEST_SUITE_P(TruthAndLifetimes, AutogradGraphs, ::testing::Bool());

TEST_P(AutogradGraphs, LogitsThatAVariableHoldsAreLogitsAndWhatElseItHoldsIsResidue) {
  at::Tensor logits, sums;  // held until the next step assigns them
  for (int step = 0; step < 3; ++step) {
    program_.step([&] {
      clear();
      const at::Tensor input = program_.batch();
      at::Tensor loss;
      program_.phase(PhaseKind::kForward, [&] {
        logits = product(input);
        sums = logits.detach().sum(1);
      });
      program_.owns(TensorRole::kLogits, "logits", logits);
      program_.phase(PhaseKind::kLoss, [&] { loss = logits.exp().sum(); });
      program_.owns(TensorRole::kLoss, "loss", loss);
      program_.backward(loss);
      show_gradient();
    });
  }
  const KindBytes expected{{"input", 256}, {"logits", 128},  {"forward_residue", 16}, {"saved", 128},
                           {"loss", 4},    {"flowing", 128}, {"gradient", 512 + 4}};
  EXPECT_EQ(program_.kinds_of_step(1), expected);
}

TEST_P(AutogradGraphs, WhatIsWrittenInPlaceIsOneBlock) {
  program_.step([&] {
    const at::Tensor input = program_.batch();
    at::Tensor loss;
    program_.phase(PhaseKind::kForward, [&] { loss = product(input).neg_().relu_().sum(); });
    program_.owns(TensorRole::kLoss, "loss", loss);
    program_.backward(loss);
    show_gradient();
  });
  const KindBytes expected{
      {"input", 256}, {"saved", 128}, {"loss", 4}, {"flowing", 256}, {"gradient", 512 + 4}};
  EXPECT_EQ(program_.kinds_of_step(0), expected);
}

TEST_P(AutogradGraphs, OfTwoThatAreAliveEachHoldsWhatItSaved) {
  for (int step = 0; step < 2; ++step) {
    program_.step([&] {
      clear();
      const at::Tensor input = program_.batch();
      at::Tensor first, second;
      program_.phase(PhaseKind::kForward, [&] { first = product(input).exp().sum(); });
      program_.owns(TensorRole::kLoss, "first", first);
      program_.phase(PhaseKind::kForward, [&] { second = product(input).tanh().sum(); });
      program_.owns(TensorRole::kLoss, "second", second);
      program_.backward(first);
      show_gradient();
      first.reset();
      program_.backward(second);
    });
  }
  // For each the product is freed and its gradient made; the second weight's gradient is added to the
  // first.
  const KindBytes expected{{"input", 256},   {"op_temp", 256},      {"saved", 256},          {"loss", 8},
                           {"flowing", 256}, {"gradient", 512 + 8}, {"accumulate_temp", 512}};
  EXPECT_EQ(program_.kinds_of_step(1), expected);
}

TEST_P(AutogradGraphs, OneThatGoesBackwardTwiceIsHeldUntilTheSecondTime) {
  program_.step([&] {
    const at::Tensor input = program_.batch();
    at::Tensor loss;
    program_.phase(PhaseKind::kForward, [&] { loss = product(input).exp().sum(); });
    program_.owns(TensorRole::kLoss, "loss", loss);
    program_.phase(PhaseKind::kBackward, [&] { loss.backward({}, /*retain_graph=*/true); });
    show_gradient();
    program_.backward(loss);
  });
  const KindBytes expected{{"input", 256},   {"op_temp", 128},      {"saved", 128},          {"loss", 4},
                           {"flowing", 256}, {"gradient", 512 + 8}, {"accumulate_temp", 512}};
  EXPECT_EQ(program_.kinds_of_step(0), expected);
}

TEST_P(AutogradGraphs, OneOfAnEarlierStepIsRetained) {
  at::Tensor state;  // carried to the next step with its graph
  for (int step = 0; step < 3; ++step) {
    program_.step([&] {
      clear();
      const at::Tensor input = program_.batch();
      at::Tensor loss;
      program_.phase(PhaseKind::kForward, [&] {
        state = product(input).exp();
        loss = state.detach().sum();
      });
      program_.owns(TensorRole::kLoss, "loss", loss);
      program_.phase(PhaseKind::kBackward, [] {});
    });
  }
  const char* const held = GetParam() ? "retained" : "forward_residue";
  EXPECT_EQ(program_.kinds_of_step(1),
            (KindBytes{{"input", 256}, {"op_temp", 128}, {held, 128}, {"loss", 4}}));
}

TEST_P(AutogradGraphs, InferenceModeHasNone) {
  at::Tensor answer;
  for (int step = 0; step < 2; ++step) {
    program_.step([&] {
      const c10::InferenceMode inference;
      const at::Tensor input = program_.batch();
      program_.phase(PhaseKind::kForward, [&] { answer = product(input).exp().sum(1); });
    });
  }
  EXPECT_EQ(program_.kinds_of_step(0),
            (KindBytes{{"input", 256}, {"op_temp", 128 + 128}, {"forward_residue", 16}}));
}

// A hook that moves saved tensors until backward needs them, as torch.autograd.graph.save_on_cpu does.
class MovedAway final : public trainer::SavedVariableHooks {
 public:
  explicit MovedAway(RecordedProgram& program) : program_(program) {}
  void call_pack_hook(const at::Tensor& tensor) override {
    moved_ = tensor.detach().clone();
    program_.owns(TensorRole::kOffloaded, "exp", moved_);
  }
  at::Tensor call_unpack_hook() override { return moved_; }

 private:
  RecordedProgram& program_;
  at::Tensor moved_;
};

TEST_P(AutogradGraphs, WhatIsMovedAwayIsOffloadedWhereItIsAndATemporaryWhereItWas) {
  const trainer::HookingEngine engine;
  program_.step([&] {
    const at::Tensor input = program_.batch();
    at::Tensor loss;
    program_.phase(PhaseKind::kForward, [&] {
      const at::Tensor made = product(input);
      const trainer::SavedTensorHooks hooks([&] { return std::make_unique<MovedAway>(program_); });
      loss = made.exp().sum();
    });
    program_.owns(TensorRole::kLoss, "loss", loss);
    program_.backward(loss);
    show_gradient();
  });
  const KindBytes expected{{"input", 256}, {"op_temp", 256}, {"offloaded", 128},
                           {"loss", 4},    {"flowing", 128}, {"gradient", 512 + 4}};
  EXPECT_EQ(program_.kinds_of_step(0), expected);
}

}  // namespace
}  // namespace strata::test
