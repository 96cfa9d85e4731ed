// SPDX-License-Identifier: Apache-2.0
// Selects the activities of the active window. They arrive after the fact, in any order, on a thread that
// knows no steps: some are from before the window if another plugin listens to the whole run, and some of the
// last step arrive only after it has ended, when the device has caught up.
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
  // [loop-thread] At the end of the window's last step.
  void end_last_step(const strata_when& when) noexcept;

  // [any] Whether it began in the window, or was requested by an operator of the window.
  bool contains(const strata_activity_event& activity) const noexcept;

 private:
  std::atomic<std::int64_t> begin_ns_{INT64_MAX}, end_ns_{INT64_MAX};
  std::atomic<std::uint64_t> begin_sequence_{UINT64_MAX}, end_sequence_{UINT64_MAX};
};

}  // namespace strata::cupti_timeline
