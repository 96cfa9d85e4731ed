// SPDX-License-Identifier: Apache-2.0
#include "host/trainer/optimizers/rule_optimizer.hpp"

#include <ATen/ATen.h>

#include <utility>

#include "host/trainer/optimizers/rules/make_rules.hpp"

namespace strata::trainer {

RuleOptimizer::RuleOptimizer(const config::OptimizerConfig& config, std::vector<NamedParameter> parameters)
    : Optimizer(std::move(parameters)),
      learning_rate_(config.lr),
      rules_(make_rules(config, this->parameters())) {}

void RuleOptimizer::step() {
  const at::NoGradGuard no_gradients;
  for (std::size_t i = 0; i < rules_.size(); ++i) {
    const at::Tensor& parameter = parameters()[i].tensor;
    if (parameter.grad().defined()) rules_[i]->step(parameter, parameter.grad(), learning_rate_);
  }
}

void RuleOptimizer::visit_state_of(std::size_t parameter, StateVisitor& visitor) {
  rules_[parameter]->visit(visitor);
}

}  // namespace strata::trainer
