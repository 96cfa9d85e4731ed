// SPDX-License-Identifier: Apache-2.0
// The time of a page fault and of a thread's start on this machine. They are measured, because they differ by
// a factor of ten between machines and no counter gives their time.
#pragma once

#include <cstdint>

namespace strata::warmup_analyzer {

struct UnitCost {
  double ns = 0.0;  // 0: could not be measured
  std::uint64_t count = 0;
};

// [loop-thread] Touches a few MiB of new memory for the first time, three times, and frees them: about ten
// milliseconds. The median of the three, in processor time, so that other load on the machine does not count.
UnitCost page_fault_cost() noexcept;

// [loop-thread] The time until a new thread runs, the median of a few.
UnitCost thread_start_cost() noexcept;

}  // namespace strata::warmup_analyzer
