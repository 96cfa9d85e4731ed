// SPDX-License-Identifier: Apache-2.0
// Which rule steps which parameter.
#pragma once

#include <memory>
#include <vector>

#include "host/config/run_config.hpp"
#include "host/trainer/optimizers/optimizer.hpp"
#include "host/trainer/optimizers/rules/update_rule.hpp"

namespace strata::trainer {

// A matrix of a block's attention or feed-forward layer, by its name: what GaLore and Muon are for, and
// neither an embedding, the head, a norm nor a bias.
bool is_block_projection(const NamedParameter& parameter);

// One for each parameter, in their order. Throws std::logic_error for an optimizer that is no set of rules.
std::vector<std::unique_ptr<UpdateRule>> make_rules(const config::OptimizerConfig& config,
                                                    const std::vector<NamedParameter>& parameters);

}  // namespace strata::trainer
