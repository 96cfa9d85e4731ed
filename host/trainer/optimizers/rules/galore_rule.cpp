// SPDX-License-Identifier: Apache-2.0
#include "host/trainer/optimizers/rules/galore_rule.hpp"

#include <ATen/ATen.h>

#include <cmath>

namespace strata::trainer {

GaloreRule::GaloreRule(const config::OptimizerConfig& config, bool projects) : config_(config) {
  if (projects) projector_.emplace(config);
}

void GaloreRule::step(const at::Tensor& parameter, const at::Tensor& gradient, double learning_rate) {
  const at::Tensor seen = projector_ ? projector_->project(gradient, moments_.steps) : gradient;
  if (!moments_.average.defined()) moments_.make_like(seen);
  ++moments_.steps;
  moments_.average.mul_(config_.beta1).add_(seen, 1.0 - config_.beta1);
  moments_.square_average.mul_(config_.beta2).addcmul_(seen, seen, 1.0 - config_.beta2);
  const at::Tensor denominator = moments_.square_average.sqrt().add_(config_.epsilon);

  at::Tensor update = moments_.average / denominator;
  if (projector_) update = projector_->project_back(update);
  const double root = std::sqrt(moments_.bias_correction(config_.beta2));
  parameter.add_(update, -learning_rate * root / moments_.bias_correction(config_.beta1));
  if (config_.weight_decay > 0.0) parameter.add_(parameter, -learning_rate * config_.weight_decay);
}

void GaloreRule::visit(StateVisitor& visitor) {
  moments_.visit(visitor, projector_ ? StateShape::kOther : StateShape::kOfParameter);
  if (projector_) projector_->visit(visitor);
}

}  // namespace strata::trainer
