// SPDX-License-Identifier: Apache-2.0
// What a page fault and the start of a thread take on this machine: measured, since they differ by a factor
// of ten between machines, and no counter tells their time.
#pragma once

#include <cstdint>

namespace strata::warmup_analyzer {

struct UnitCost {
  double ns = 0.0;  // 0: could not be measured
  std::uint64_t count = 0;
};

// [loop-thread] Touches a few MiB of new memory for the first time, three times, and gives them back: about
// ten milliseconds. The middle one of the three, in processor time: others on the machine do not count.
UnitCost page_fault_cost() noexcept;

// [loop-thread] Until a thread runs, in the median of a few.
UnitCost thread_start_cost() noexcept;

}  // namespace strata::warmup_analyzer
