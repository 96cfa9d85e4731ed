// SPDX-License-Identifier: Apache-2.0
// Lion (arXiv:2302.06675) as lion-pytorch computes it: the sign of a momentum, with decoupled weight decay.
#pragma once

#include "host/config/run_config.hpp"
#include "host/trainer/optimizers/rules/update_rule.hpp"

namespace strata::trainer {

// Keeps one tensor of the parameter's shape.
class LionRule : public UpdateRule {
 public:
  explicit LionRule(const config::OptimizerConfig& config) : config_(config) {}

  void step(const at::Tensor& parameter, const at::Tensor& gradient, double learning_rate) override;
  void visit(StateVisitor& visitor) override;

 private:
  config::OptimizerConfig config_;
  at::Tensor average_;
};

}  // namespace strata::trainer
