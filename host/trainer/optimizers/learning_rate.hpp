// SPDX-License-Identifier: Apache-2.0
// The learning rate of each step, as transformers' schedules of the same names have it.
#pragma once

#include <cstdint>

#include "host/config/run_config.hpp"

namespace strata::trainer {

// `step` counts from 0, of `steps` in all. Over the w steps of the warm-up it is lr * step / w. From there
// the share that is left, from 1 at step w to lr_final_share at `steps`, is
//   constant  1
//   linear    final + (1 - final) * (1 - progress)
//   cosine    final + (1 - final) * (1 + cos(pi * progress)) / 2
double learning_rate_at(const config::OptimizerConfig& config, std::uint64_t step, std::uint64_t steps);

}  // namespace strata::trainer
