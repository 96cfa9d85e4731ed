// SPDX-License-Identifier: Apache-2.0
// What is allocated and what is reserved, event by event.
#pragma once

#include <compare>
#include <cstdint>

#include "host/analysis/facts/category.hpp"

namespace strata::analysis {

// Memory right after one event.
struct Point {
  std::uint64_t sequence = 0;
  std::int64_t ns = 0;
  CategoryBytes bytes{};
  std::uint64_t rounding_bytes = 0;  // of all of them, those that nobody asked for
};

// Where a caching allocator has a block or a segment: each stream has its own, and so has each private pool
// on each stream. What one has free no other can use.
struct Place {
  std::uint64_t stream = 0;  // the handle; 0 is the default stream
  std::uint64_t pool = 0;    // 0 is none of its own
  auto operator<=>(const Place&) const = default;
};

inline constexpr std::uint64_t kNoSegment = 0;

// What a caching allocator holds of its device, allocated or not, from one event on.
struct ReservedPoint {
  std::uint64_t sequence = 0;
  std::int64_t ns = 0;
  std::uint64_t bytes = 0;
  std::uint64_t segment_address = 0;  // of what it took or gave back in this event; kNoSegment: not told
  std::int64_t change_bytes = 0;      // negative: gave back
  Place place;                        // of the segment
};

}  // namespace strata::analysis
