// SPDX-License-Identifier: Apache-2.0
// The timeline of a run with the other values in effect at each event.
#pragma once

#include <cstdint>
#include <functional>

#include "host/analysis/facts/forward.hpp"
#include "host/analysis/facts/point.hpp"

namespace strata::exports {

struct TimelineRow {
  const analysis::Point& point;
  std::int64_t step = -1;             // -1 between steps
  std::uint64_t allocated_bytes = 0;  // the sum of the categories
  std::uint64_t reserved_bytes = 0;   // equals allocated if the allocator does not cache
};

// Calls `use` for each point, by sequence.
void for_each_row(const analysis::MemoryFacts& facts, const std::function<void(const TimelineRow&)>& use);

}  // namespace strata::exports
