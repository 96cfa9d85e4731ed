// SPDX-License-Identifier: Apache-2.0
// Why a caching allocator reserves more than a program allocates: what was free when it took each of its
// large segments, and what the reserved memory was needed for. Blocks of up to 1 MiB lie in segments of
// 2 MiB, which are not counted.
#pragma once

#include <cstdint>
#include <vector>

namespace strata::analysis {

struct MemoryFacts;

struct SegmentTaken {
  std::uint64_t sequence = 0;
  std::int64_t ns = 0;
  std::uint64_t bytes = 0;
  std::uint64_t free_bytes = 0;  // in other segments of its place, not counting deferred frees
  std::uint64_t reserved_bytes = 0;
};

// The parts of the reserved memory that were not allocated when most was reserved. Each is the distance
// between two amounts that would have been enough, so their sum is what was never allocated since the last
// release of a segment:
//   reserved - the most that each stream of each pool needed at once = pieces
//   that - the most that all streams of each pool needed at once     = streams
//   that - the most that all pools needed at once                    = pools
//   that - the most that was allocated at once                       = deferred frees
struct UnusedReserved {
  std::uint64_t sequence = 0;
  std::int64_t ns = 0;
  std::uint64_t reserved_bytes = 0;  // with small segments
  std::uint64_t pieces_bytes = 0, streams_bytes = 0, pools_bytes = 0, deferred_bytes = 0;
  std::uint64_t most_deferred_bytes = 0;  // at once, until then
  std::uint64_t streams = 0;              // with memory outside of private pools
  std::uint64_t pools = 0;                // private ones with memory
};

struct ReservedMemory {
  std::vector<SegmentTaken> taken;
  UnusedReserved unused;
};

// Empty if the allocator does not report its segments. Uses blocks, their places, reserved points and
// deferred frees.
ReservedMemory reserved_memory(const MemoryFacts& facts);

}  // namespace strata::analysis
