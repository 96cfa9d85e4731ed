// SPDX-License-Identifier: Apache-2.0
#include "host/trainer/optimizers/rules/adam_rule.hpp"

#include <ATen/ATen.h>

#include <cmath>

namespace strata::trainer {

void AdamRule::step(const at::Tensor& parameter, const at::Tensor& gradient, double learning_rate) {
  if (!moments_.average.defined()) moments_.make_like(parameter);
  ++moments_.steps;
  const bool decays = config_.weight_decay != 0.0;
  if (decays && decay_ == WeightDecay::kDecoupled) parameter.mul_(1.0 - learning_rate * config_.weight_decay);
  const at::Tensor decayed =
      decays && decay_ == WeightDecay::kInGradient ? gradient.add(parameter, config_.weight_decay) : gradient;

  moments_.average.lerp_(decayed, 1.0 - config_.beta1);
  moments_.square_average.mul_(config_.beta2).addcmul_(decayed, decayed, 1.0 - config_.beta2);
  const double root = std::sqrt(moments_.bias_correction(config_.beta2));
  const at::Tensor denominator = moments_.square_average.sqrt().div_(root).add_(config_.epsilon);
  parameter.addcdiv_(moments_.average, denominator, -learning_rate / moments_.bias_correction(config_.beta1));
}

}  // namespace strata::trainer
