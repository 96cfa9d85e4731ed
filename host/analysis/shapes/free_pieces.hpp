// SPDX-License-Identifier: Apache-2.0
// What a caching allocator had free when it took more from its device.
#pragma once

#include <cstdint>
#include <vector>

namespace strata::analysis {

struct MemoryFacts;

// One taking of a segment for blocks of more than 1 MiB; smaller ones lie in segments of their own.
struct SegmentTaken {
  std::uint64_t sequence = 0;
  std::int64_t ns = 0;
  std::uint64_t bytes = 0;           // taken
  std::uint64_t free_bytes = 0;      // before, in other such segments of the same stream and pool
  std::uint64_t reserved_bytes = 0;  // after, in all
};

// By sequence. Nothing where segments are not told.
std::vector<SegmentTaken> segments_taken(const MemoryFacts& facts);

}  // namespace strata::analysis
