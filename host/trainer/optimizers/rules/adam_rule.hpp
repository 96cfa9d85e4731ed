// SPDX-License-Identifier: Apache-2.0
// Adam (arXiv:1412.6980) and AdamW (arXiv:1711.05101) as torch.optim's, for what another optimizer leaves to
// them.
#pragma once

#include "host/config/run_config.hpp"
#include "host/trainer/optimizers/rules/adam_moments.hpp"

namespace strata::trainer {

enum class WeightDecay { kInGradient, kDecoupled };

class AdamRule : public UpdateRule {
 public:
  AdamRule(const config::OptimizerConfig& config, WeightDecay decay) : config_(config), decay_(decay) {}

  void step(const at::Tensor& parameter, const at::Tensor& gradient, double learning_rate) override;
  void visit(StateVisitor& visitor) override { moments_.visit(visitor, StateShape::kOfParameter); }

 private:
  config::OptimizerConfig config_;
  WeightDecay decay_;
  AdamMoments moments_;
};

}  // namespace strata::trainer
