// SPDX-License-Identifier: Apache-2.0
// torch.optim.Muon of 2.11: momentum whose update is made nearly orthogonal, for matrices.
#pragma once

#include "host/config/run_config.hpp"
#include "host/trainer/optimizers/rules/update_rule.hpp"

namespace strata::trainer {

// Keeps one tensor of the parameter's shape. A step's temporaries are matrices in bfloat16, whatever the
// parameter's format, three of them in the shorter side's square.
class MuonRule : public UpdateRule {
 public:
  explicit MuonRule(const config::OptimizerConfig& config) : config_(config) {}

  void step(const at::Tensor& parameter, const at::Tensor& gradient, double learning_rate) override;
  void visit(StateVisitor& visitor) override;

 private:
  config::OptimizerConfig config_;
  at::Tensor momentum_;
};

}  // namespace strata::trainer
