// SPDX-License-Identifier: Apache-2.0
// torch.optim.Adafactor (arXiv:1804.04235): a matrix's second moments kept as their rows' and columns' means.
#pragma once

#include <cstdint>

#include "host/config/run_config.hpp"
#include "host/trainer/optimizers/rules/update_rule.hpp"

namespace strata::trainer {

// Keeps m + n elements for a parameter of m x n, n for one of n.
class AdafactorRule : public UpdateRule {
 public:
  explicit AdafactorRule(const config::OptimizerConfig& config) : config_(config) {}

  void step(const at::Tensor& parameter, const at::Tensor& gradient, double learning_rate) override;
  void visit(StateVisitor& visitor) override;

 private:
  // The running estimate of the squared gradient, in a tensor of its own.
  at::Tensor factored_estimate(const at::Tensor& gradient, double weight, double smallest);
  at::Tensor plain_estimate(const at::Tensor& gradient, double weight);

  config::OptimizerConfig config_;
  std::int64_t steps_ = 0;
  at::Tensor rows_;     // [..., m, 1] of a gradient [..., m, n]
  at::Tensor columns_;  // [..., 1, n]
  at::Tensor squares_;  // of a vector
};

}  // namespace strata::trainer
