// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/peak/outside_window.hpp"

#include <algorithm>

#include "host/analysis/facts/memory_facts.hpp"
#include "host/analysis/memory/timeline.hpp"
#include "host/analysis/peak/most_reserved.hpp"
#include "host/analysis/peak/peak.hpp"

namespace strata::analysis {
namespace {

// A tolerance for warm-up steps, which differ from others by libraries' own allocations.
constexpr std::uint64_t kParts = 100;

}  // namespace

std::optional<OutsideWindow> higher_outside_window(const MemoryFacts& facts) {
  const auto highest = highest_point(facts.points, 0, UINT64_MAX);
  if (!highest) return std::nullopt;
  const std::uint64_t peak = facts.peak.allocated_bytes;
  if (allocated_bytes(facts.points[*highest]) <= peak + peak / kParts) return std::nullopt;
  const Peak whole = find_peak(facts, Window{});
  return OutsideWindow{.allocated_bytes = whole.allocated_bytes,
                       .reserved_bytes = std::max(whole.reserved_bytes, most_reserved_bytes(facts)),
                       .step = whole.step,
                       .phase = whole.phase};
}

}  // namespace strata::analysis
