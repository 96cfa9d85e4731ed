// SPDX-License-Identifier: Apache-2.0
// What a program asked of a caching allocator, in order: so that it can be asked again of one with other
// settings, or on another card.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace strata::analysis {

struct Recording;

enum class AllocatorCallKind : std::uint8_t {
  kAllocate,
  kFree,         // the block is the allocator's again at once
  kFreeLater,    // another stream still used the block...
  kFreeNow,      // ...until here
  kEmptyCache,   // the program gave back what was cached
  kMaybeEmpty,   // it did before the next request, or that did by itself: only a replay tells
  kRunOutAgain,  // an allocation that the recorded allocator could not make
};

struct AllocatorCall {
  AllocatorCallKind kind = AllocatorCallKind::kAllocate;
  std::uint64_t sequence = 0;
  std::uint64_t address = 0;  // the recorded one, which names the block
  std::uint64_t bytes = 0;    // asked for; of kMaybeEmpty, what was given back of segments
  std::uint64_t stream = 0, pool = 0;
  std::size_t event = 0;  // its row in Recording::allocator_events
  // As recorded, once the call was done.
  std::uint64_t allocated_bytes = 0, reserved_bytes = 0;
};

struct AllocatorCalls {
  std::vector<AllocatorCall> calls;
  // How many calls, from the first on, the recorded sums are known after: all but the last one where that is
  // an allocation, whose block no later event tells the size of.
  std::size_t known = 0;
  std::uint64_t peak_allocated_bytes = 0, peak_reserved_bytes = 0;  // as recorded
};

// Whether the run's memory was that of torch's own allocator for CUDA, which keeps blocks back.
bool has_caching_allocator(const Recording& run);

// Of a run that was read with ReadingDetail::kAllocator.
AllocatorCalls allocator_calls(const Recording& run);

}  // namespace strata::analysis
