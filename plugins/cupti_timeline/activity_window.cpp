// SPDX-License-Identifier: Apache-2.0
#include "plugins/cupti_timeline/activity_window.hpp"

namespace strata::cupti_timeline {

void ActivityWindow::begin_step(const strata_when& when) noexcept {
  if (begin_ns_.load(std::memory_order_relaxed) != INT64_MAX) return;
  begin_sequence_.store(when.sequence, std::memory_order_relaxed);
  begin_ns_.store(when.monotonic_ns, std::memory_order_relaxed);
}

void ActivityWindow::end_last_step(const strata_when& when) noexcept {
  end_sequence_.store(when.sequence, std::memory_order_relaxed);
  end_ns_.store(when.monotonic_ns, std::memory_order_relaxed);
}

bool ActivityWindow::contains(const strata_activity_event& activity) const noexcept {
  // An operator's ordinal is the sequence of its begin.
  if (activity.op != STRATA_NONE) {
    return activity.op >= begin_sequence_.load(std::memory_order_relaxed) &&
           activity.op <= end_sequence_.load(std::memory_order_relaxed);
  }
  return activity.begin_ns >= begin_ns_.load(std::memory_order_relaxed) &&
         activity.begin_ns <= end_ns_.load(std::memory_order_relaxed);
}

}  // namespace strata::cupti_timeline
