// SPDX-License-Identifier: Apache-2.0
#include "host/trainer/optimizers/step_in_backward.hpp"

#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/variable.h>

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace strata::trainer {
namespace {

class StepsInBackward : public testing::Test {
 protected:
  static NamedParameter parameter(const char* name) { return {name, at::ones({2}).requires_grad_()}; }

  at::Tensor loss() const {
    return (first_.tensor * second_.tensor).sum() + (second_.tensor * unused_of_first_).sum();
  }

  const NamedParameter first_ = parameter("first"), second_ = parameter("second"),
                       third_ = parameter("third");
  const std::vector<NamedParameter> all_{first_, second_, third_};
  const at::Tensor unused_of_first_ = at::full({2}, 2.0);
};

TEST_F(StepsInBackward, EachParameterOnceWithItsWholeGradientAlone) {
  std::vector<std::string> stepped;
  StepInBackward step(all_, [&](const NamedParameter& parameter) {
    stepped.push_back(parameter.name);
    const float expected = parameter.name == "second" ? 3.0F : 1.0F;
    EXPECT_TRUE(at::equal(parameter.tensor.grad(), at::full({2}, expected))) << parameter.name;
    for (const NamedParameter& other : all_)
      EXPECT_EQ(other.tensor.grad().defined(), other.name == parameter.name);
    parameter.tensor.sub_(parameter.tensor.grad());
  });
  loss().backward();
  std::sort(stepped.begin(), stepped.end());
  EXPECT_EQ(stepped, (std::vector<std::string>{"first", "second"})) << "the third is in no graph";
  for (const NamedParameter& parameter : all_) EXPECT_FALSE(parameter.tensor.grad().defined());
  EXPECT_TRUE(at::equal(second_.tensor, at::full({2}, -2.0F)));
}

TEST_F(StepsInBackward, WhatAStepThrowsComesOutOfBackward) {
  const StepInBackward step(all_, [](const NamedParameter&) { throw std::runtime_error("not finite"); });
  EXPECT_THROW(loss().backward(), std::runtime_error);
}

TEST_F(StepsInBackward, EndsWithItsObject) {
  int steps = 0;
  std::optional<StepInBackward> step(std::in_place, all_, [&](const NamedParameter&) { ++steps; });
  loss().backward();
  EXPECT_EQ(steps, 2);
  step.reset();
  loss().backward();
  EXPECT_EQ(steps, 2);
  EXPECT_TRUE(first_.tensor.grad().defined());
}

}  // namespace
}  // namespace strata::trainer
