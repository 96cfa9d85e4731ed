// SPDX-License-Identifier: Apache-2.0
// When the allocator held the most memory: not always when the most was allocated.
#pragma once

#include <cstdint>

namespace strata::analysis {

struct MemoryFacts;

struct MostReserved {
  std::uint64_t bytes = 0;
  std::int64_t step = -1;  // the peak's step if no step of the window reserved more
};

// Among the window's steps and the peak's moment, which may be outside of steps.
MostReserved most_reserved_in_window(const MemoryFacts& facts);

// The maximum of the whole run.
std::uint64_t most_reserved_bytes(const MemoryFacts& facts);

}  // namespace strata::analysis
