// SPDX-License-Identifier: Apache-2.0
#include <stdexcept>
#include <utility>

#include "host/config/optimizer_defaults.hpp"
#include "host/trainer/optimizers/loop_optimizer.hpp"
#include "host/trainer/optimizers/multi_tensor_adam.hpp"
#include "host/trainer/optimizers/multi_tensor_sgd.hpp"
#include "host/trainer/optimizers/optimizer.hpp"
#include "host/trainer/optimizers/rule_optimizer.hpp"

namespace strata::trainer {

std::unique_ptr<Optimizer> make_optimizer(const config::OptimizerConfig& config,
                                          std::vector<NamedParameter> parameters) {
  if (!config::has_multi_tensor_form(config.name)) {
    if (config.impl != config::OptimizerImpl::kLoop)
      throw std::logic_error("optimizer.impl: this optimizer supports only loop");
    return std::make_unique<RuleOptimizer>(config, std::move(parameters));
  }
  if (config.impl == config::OptimizerImpl::kLoop) return make_loop_optimizer(config, std::move(parameters));
  switch (config.name) {
    case config::OptimizerName::kAdamW:
    case config::OptimizerName::kAdam:
      return std::make_unique<MultiTensorAdam>(config, std::move(parameters));
    case config::OptimizerName::kSgd:
      return std::make_unique<MultiTensorSgd>(config, std::move(parameters));
    default:
      break;
  }
  throw std::logic_error("optimizer.name: the trainer does not know it, but the schema does");
}

}  // namespace strata::trainer
