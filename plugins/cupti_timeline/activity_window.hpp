// SPDX-License-Identifier: Apache-2.0
// Which activities are of the active window. They are told after the fact, in any order, by a thread that
// knows no steps: some of those before the window when another plugin listens to the whole run, and some of
// its last step only after it has ended, when the device has come so far.
#pragma once

#include <atomic>
#include <cstdint>

#include "strata/events.h"
#include "strata/ext/activity.h"

namespace strata::cupti_timeline {

class ActivityWindow {
 public:
  // [loop-thread]
  void begin_step(const strata_when& when) noexcept;
  // [loop-thread] Of the window's last step.
  void end_last_step(const strata_when& when) noexcept;

  // [any] It began in the window, or an operator of the window asked for it.
  bool contains(const strata_activity_event& activity) const noexcept;

 private:
  std::atomic<std::int64_t> begin_ns_{INT64_MAX}, end_ns_{INT64_MAX};
  std::atomic<std::uint64_t> begin_sequence_{UINT64_MAX}, end_sequence_{UINT64_MAX};
};

}  // namespace strata::cupti_timeline
