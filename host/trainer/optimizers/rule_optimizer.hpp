// SPDX-License-Identifier: Apache-2.0
// Optimizers that are a rule for each parameter, one after the other.
#pragma once

#include <memory>
#include <vector>

#include "host/trainer/optimizers/optimizer.hpp"
#include "host/trainer/optimizers/rules/update_rule.hpp"

namespace strata::trainer {

class RuleOptimizer : public Optimizer {
 public:
  RuleOptimizer(const config::OptimizerConfig& config, std::vector<NamedParameter> parameters);

  void set_learning_rate(double learning_rate) override { learning_rate_ = learning_rate; }
  void step() override;

 private:
  void visit_state_of(std::size_t parameter, StateVisitor& visitor) override;

  double learning_rate_;
  std::vector<std::unique_ptr<UpdateRule>> rules_;  // of each parameter
};

}  // namespace strata::trainer
