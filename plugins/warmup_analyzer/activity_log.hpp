// SPDX-License-Identifier: Apache-2.0
// Selects the one-time work of a device's driver from all activities: loading, compiling, creating contexts,
// allocating memory.
#pragma once

#include "plugins/warmup_analyzer/tables.hpp"
#include "strata/ext/activity.h"

namespace strata::warmup_analyzer {

class ActivityLog {
 public:
  explicit ActivityLog(Table<ActivityRow> table) : table_(table) {}

  // [cupti]
  void note(const strata_when& when, const strata_activity_event& activity) const noexcept;

 private:
  Table<ActivityRow> table_;
};

// Whether a call of the CUDA runtime or driver belongs to the start: any call that takes long once, and calls
// that create contexts, load code or allocate memory.
bool is_of_a_start(const strata_activity_event& call) noexcept;

}  // namespace strata::warmup_analyzer
