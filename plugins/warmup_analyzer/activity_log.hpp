// SPDX-License-Identifier: Apache-2.0
// Keeps what a device's driver does once, out of all that it does: loading, compiling, making contexts,
// getting memory.
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

// Whether a call of the CUDA runtime or driver belongs to a start: those that take long once, whichever they
// are, and those that make contexts, load code or get memory.
bool is_of_a_start(const strata_activity_event& call) noexcept;

}  // namespace strata::warmup_analyzer
