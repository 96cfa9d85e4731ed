// SPDX-License-Identifier: Apache-2.0
// What the caching allocator would have reserved with expandable_segments:True: the run's blocks, placed by
// the same rules as c10's. It has no card that runs out of memory; `strata replay` runs the allocator itself.
#pragma once

#include <cstdint>

namespace strata::analysis {

struct MemoryFacts;

// The most at once. Uses blocks, their places, reserved points and deferred frees.
std::uint64_t most_reserved_if_expandable(const MemoryFacts& facts);

}  // namespace strata::analysis
