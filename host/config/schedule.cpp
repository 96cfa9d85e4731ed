// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "host/config/run_config.hpp"

namespace strata::config {

std::int64_t samples_of_step(const RunConfig& config) {
  return config.data.batch_size * config.accumulation * config.world_size;
}

std::uint64_t steps_of_epoch(const RunConfig& config) {
  return static_cast<std::uint64_t>(config.data.samples / samples_of_step(config));
}

std::uint64_t total_steps(const RunConfig& config) {
  const ScheduleConfig& schedule = config.schedule;
  const std::int64_t scheduled = schedule.wait + schedule.warmup + schedule.active;
  auto steps = static_cast<std::uint64_t>(schedule.max_steps > 0 ? std::min(schedule.max_steps, scheduled)
                                                                 : scheduled);
  const auto epochs = static_cast<std::uint64_t>(schedule.epochs);
  const std::uint64_t of_epoch = steps_of_epoch(config);
  // Divided, for their product may not fit.
  if (epochs > 0 && of_epoch > 0 && epochs <= steps / of_epoch) steps = epochs * of_epoch;
  return steps;
}

}  // namespace strata::config
