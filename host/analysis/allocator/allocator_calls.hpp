// SPDX-License-Identifier: Apache-2.0
// A program's requests to a caching allocator, in order, so that they can be repeated with other settings or
// on another card.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace strata::analysis {

struct Recording;

enum class AllocatorCallKind : std::uint8_t {
  kAllocate,
  kFree,         // the allocator can reuse the block at once
  kFreeLater,    // another stream still used the block...
  kFreeNow,      // ...until here
  kReleasePool,  // the program gave up a private pool, whose segments the next kEmptyCache freed
  kEmptyCache,   // the program freed the cache
  kMaybeEmpty,   // either the program freed the cache before the next request, or that request did: only a
                 // replay can tell
  kRunOutAgain,  // an allocation that failed in the recorded run
};

struct AllocatorCall {
  AllocatorCallKind kind = AllocatorCallKind::kAllocate;
  std::uint64_t sequence = 0;
  std::uint64_t address = 0;  // recorded address, which identifies the block
  std::uint64_t bytes = 0;    // requested; for kMaybeEmpty, bytes freed in segments
  std::uint64_t stream = 0, pool = 0;
  std::size_t event = 0;  // its row in Recording::allocator_events
  // As recorded after the call.
  std::uint64_t allocated_bytes = 0, reserved_bytes = 0;
};

struct AllocatorCalls {
  std::vector<AllocatorCall> calls;
  // The number of calls, from the first on, after which the recorded sums are known: all of them, except a
  // last one that is an allocation, because no later event gives its block's size.
  std::size_t known = 0;
  std::uint64_t peak_allocated_bytes = 0, peak_reserved_bytes = 0;  // as recorded
};

// Whether the run's memory came from torch's own CUDA allocator, which caches blocks.
bool has_caching_allocator(const Recording& run);

// Requires a run that was read with ReadingDetail::kAllocator.
AllocatorCalls allocator_calls(const Recording& run);

}  // namespace strata::analysis
