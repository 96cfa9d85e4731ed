// SPDX-License-Identifier: Apache-2.0
#include "host/export/timeline_rows.hpp"

#include <numeric>

#include "host/analysis/facts/memory_facts.hpp"

namespace strata::exports {

void for_each_row(const analysis::MemoryFacts& facts, const std::function<void(const TimelineRow&)>& use) {
  auto step = facts.steps.begin();
  auto reserved = facts.reserved.begin();
  std::uint64_t reserved_bytes = 0;
  for (const analysis::Point& point : facts.points) {
    while (step != facts.steps.end() && step->end_sequence < point.sequence) ++step;
    const bool inside = step != facts.steps.end() && step->begin_sequence <= point.sequence;
    for (; reserved != facts.reserved.end() && reserved->sequence <= point.sequence; ++reserved)
      reserved_bytes = reserved->bytes;
    const std::uint64_t allocated_bytes =
        std::accumulate(point.bytes.begin(), point.bytes.end(), std::uint64_t{0});
    use({point, inside ? step->index : -1, allocated_bytes,
         facts.reserved.empty() ? allocated_bytes : reserved_bytes});
  }
}

}  // namespace strata::exports
