// SPDX-License-Identifier: Apache-2.0
#include "host/trainer/optimizers/rules/lion_rule.hpp"

#include <ATen/ATen.h>

namespace strata::trainer {

void LionRule::step(const at::Tensor& parameter, const at::Tensor& gradient, double learning_rate) {
  if (!average_.defined()) average_ = at::zeros_like(parameter, at::MemoryFormat::Preserve);
  parameter.mul_(1.0 - learning_rate * config_.weight_decay);
  const at::Tensor update = average_.clone().mul_(config_.beta1).add_(gradient, 1.0 - config_.beta1).sign_();
  parameter.add_(update, -learning_rate);
  average_.mul_(config_.beta2).add_(gradient, 1.0 - config_.beta2);
}

void LionRule::visit(StateVisitor& visitor) {
  visitor.tensor("exp_avg", average_, StateShape::kOfParameter);
}

}  // namespace strata::trainer
