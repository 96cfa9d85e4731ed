// SPDX-License-Identifier: Apache-2.0
#include "host/runtime/events/window_schedule.hpp"

#include <limits>

namespace strata {
namespace {

// STRATA_NO_STEP is the largest number and no step.
constexpr std::uint64_t kLastStep = std::numeric_limits<std::uint64_t>::max() - 1;

std::uint64_t saturating_sum(std::uint64_t a, std::uint64_t b) {
  return a > kLastStep - b ? kLastStep : a + b;
}

}  // namespace

WindowSchedule::WindowSchedule(const Schedule& schedule) noexcept : wait_(schedule.wait) {
  window_.first_step = saturating_sum(schedule.wait, schedule.warmup);
  window_.last_step = saturating_sum(window_.first_step, schedule.active - 1);
}

std::uint32_t WindowSchedule::stage_of(std::uint64_t step) const noexcept {
  if (contains(step)) return STRATA_STEP_ACTIVE;
  return step >= wait_ && step < window_.first_step ? STRATA_STEP_WARMUP : STRATA_STEP_WAIT;
}

}  // namespace strata
