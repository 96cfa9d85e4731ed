#include <algorithm>

#include "host/config/run_config.hpp"

namespace strata::config {

std::uint64_t total_steps(const ScheduleConfig& schedule) {
  const std::int64_t scheduled = schedule.wait + schedule.warmup + schedule.active;
  const std::int64_t steps = schedule.max_steps > 0 ? std::min(schedule.max_steps, scheduled) : scheduled;
  return static_cast<std::uint64_t>(steps);
}

}  // namespace strata::config
