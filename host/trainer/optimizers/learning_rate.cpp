// SPDX-License-Identifier: Apache-2.0
#include "host/trainer/optimizers/learning_rate.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace strata::trainer {
namespace {

double share_left(config::LearningRateSchedule schedule, double progress) {
  switch (schedule) {
    case config::LearningRateSchedule::kLinear:
      return 1.0 - progress;
    case config::LearningRateSchedule::kCosine:
      return 0.5 * (1.0 + std::cos(std::numbers::pi * progress));
    case config::LearningRateSchedule::kConstant:
      break;
  }
  return 1.0;
}

}  // namespace

double learning_rate_at(const config::OptimizerConfig& config, std::uint64_t step, std::uint64_t steps) {
  const auto done = static_cast<double>(step);
  const auto warmup = static_cast<double>(config.lr_warmup_steps);
  if (done < warmup) return config.lr * done / warmup;
  const double progress = std::min(1.0, (done - warmup) / std::max(1.0, static_cast<double>(steps) - warmup));
  const double share = share_left(config.lr_schedule, progress);
  return config.lr * (config.lr_final_share + (1.0 - config.lr_final_share) * share);
}

}  // namespace strata::trainer
