// SPDX-License-Identifier: Apache-2.0
// Which steps are traced: turns wait / warm-up / active into a window and a tag for each step.
#pragma once

#include <cstdint>

#include "strata/ext/step.h"
#include "strata/runtime/options.hpp"

namespace strata {

class WindowSchedule {
 public:
  // `active` is at least 1. If the sum exceeds the last representable step, the window lasts to the end.
  explicit WindowSchedule(const Schedule& schedule) noexcept;

  Window window() const noexcept { return window_; }
  bool contains(std::uint64_t step) const noexcept {
    return step >= window_.first_step && step <= window_.last_step;
  }
  // STRATA_STEP_*. Steps after the window are STRATA_STEP_WAIT.
  std::uint32_t stage_of(std::uint64_t step) const noexcept;

 private:
  std::uint64_t wait_;
  Window window_;
};

}  // namespace strata
