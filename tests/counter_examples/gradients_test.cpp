// SPDX-License-Identifier: Apache-2.0
// Gradients that become a parameter's own, that are added to one, and that an optimizer uses at once.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "host/trainer/optimizers/step_in_backward.hpp"
#include "tests/counter_examples/recorded_program.hpp"

namespace strata::test {
namespace {

class Gradients : public ::testing::TestWithParam<bool> {
 protected:
  Gradients() {
    program_.setup([&] { weight_ = at::randn({16, 8}).requires_grad_(); });
    program_.owns(TensorRole::kParameter, "weight", weight_);
  }

  void forward_and_backward(const at::Tensor& input) {
    at::Tensor loss;
    program_.phase(PhaseKind::kForward, [&] { loss = at::mm(input, weight_).sum(); });
    program_.owns(TensorRole::kLoss, "loss", loss);
    program_.backward(loss);
    if (weight_.grad().defined()) program_.owns(TensorRole::kGradient, "weight", weight_.grad(), weight_);
  }

  RecordedProgram program_{GetParam()};
  at::Tensor weight_;
};

INSTANTIATE_TEST_SUITE_P(TruthAndLifetimes, Gradients, ::testing::Bool());

TEST_P(Gradients, TheFirstIsStolenAndALaterOneIsAdded) {
  for (int step = 0; step < 2; ++step) {
    program_.step([&] {
      program_.phase(PhaseKind::kZeroGrad, [&] { weight_.mutable_grad().reset(); });
      for (std::uint32_t micro_batch = 0; micro_batch < 3; ++micro_batch) {
        program_.session().begin_micro_batch(micro_batch);
        forward_and_backward(program_.batch());
      }
    });
  }
  // The flowing gradient is that of the sum, one number, expanded to the size of the product.
  const KindBytes expected{{"input", 3 * 256}, {"flowing", 3 * 128},      {"op_temp", 3 * 128},
                           {"loss", 3 * 4},    {"gradient", 512 + 3 * 4}, {"accumulate_temp", 2 * 512}};
  EXPECT_EQ(program_.kinds_of_step(1), expected);
}

TEST_P(Gradients, AnOptimizerInBackwardTakesThemBeforeItsEnd) {
  at::Tensor average;
  const trainer::StepInBackward steps({{"weight", weight_}}, [&](const trainer::NamedParameter& parameter) {
    program_.owns(TensorRole::kGradient, "weight", parameter.tensor.grad(), parameter.tensor);
    program_.phase(PhaseKind::kOptimizer, [&] {
      const at::NoGradGuard no_gradients;
      if (!average.defined()) average = at::zeros_like(parameter.tensor);
      average.copy_(parameter.tensor.grad());
      weight_.sub_(average.sqrt());
    });
    program_.owns(TensorRole::kOptimizerState, "average", average, weight_);
    weight_.mutable_grad().reset();
  });
  for (int step = 0; step < 2; ++step) program_.step([&] { forward_and_backward(program_.batch()); });
  const KindBytes later{{"input", 256},   {"op_temp", 128},      {"loss", 4},
                        {"flowing", 128}, {"gradient", 512 + 4}, {"optimizer_temp", 512}};
  KindBytes first = later;
  first["state"] = 512;
  EXPECT_EQ(program_.kinds_of_step(0), first);
  EXPECT_EQ(program_.kinds_of_step(1), later);
}

}  // namespace
}  // namespace strata::test
