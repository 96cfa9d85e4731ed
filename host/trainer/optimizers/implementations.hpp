// SPDX-License-Identifier: Apache-2.0
// The implementations of optimizers, from which make_optimizer chooses.
#pragma once

#include <memory>
#include <vector>

#include "host/trainer/optimizers/optimizer.hpp"

namespace strata::trainer {

// torch::optim::SGD, Adam and AdamW, which step parameters one by one.
std::unique_ptr<Optimizer> make_loop_optimizer(const config::OptimizerConfig& config,
                                               std::vector<NamedParameter> parameters);
// sgd, adam and adamw over all parameters at once.
std::unique_ptr<Optimizer> make_multi_tensor_optimizer(const config::OptimizerConfig& config,
                                                       std::vector<NamedParameter> parameters);
// One rule per parameter (rules/rules.hpp).
std::unique_ptr<Optimizer> make_rule_optimizer(const config::OptimizerConfig& config,
                                               std::vector<NamedParameter> parameters);

}  // namespace strata::trainer
