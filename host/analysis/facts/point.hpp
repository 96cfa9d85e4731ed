// SPDX-License-Identifier: Apache-2.0
// Allocated and reserved memory, event by event.
#pragma once

#include <compare>
#include <cstdint>

#include "host/analysis/facts/category.hpp"

namespace strata::analysis {

// The memory right after one event.
struct Point {
  std::uint64_t sequence = 0;
  std::int64_t ns = 0;
  CategoryBytes bytes{};
  std::uint64_t rounding_bytes = 0;  // of all categories, added by the allocator
};

// The place of a block or segment in a caching allocator: each stream has its own, as does each private pool
// on each stream. Free memory of one cannot be used by another.
struct Place {
  std::uint64_t stream = 0;  // the handle; 0 is the default stream
  std::uint64_t pool = 0;    // 0: no private pool
  auto operator<=>(const Place&) const = default;
};

inline constexpr std::uint64_t kNoSegment = 0;

// The memory that a caching allocator holds of its device, allocated or not, from one event on.
struct ReservedPoint {
  std::uint64_t sequence = 0;
  std::int64_t ns = 0;
  std::uint64_t bytes = 0;
  std::uint64_t segment_address =
      0;                          // of the segment allocated or freed in this event; kNoSegment: not reported
  std::int64_t change_bytes = 0;  // negative: freed
  Place place;                    // of the segment
};

}  // namespace strata::analysis
