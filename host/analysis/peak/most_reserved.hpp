// SPDX-License-Identifier: Apache-2.0
// When the allocator held most: not always at the moment when most was allocated.
#pragma once

#include <cstdint>

namespace strata::analysis {

struct MemoryFacts;

struct MostReserved {
  std::uint64_t bytes = 0;
  std::int64_t step = -1;  // the peak's where no step of the window held more than was reserved then
};

// Of the window's steps and the peak's moment, which may lie outside of steps.
MostReserved most_reserved_in_window(const MemoryFacts& facts);

// Of all of the run.
std::uint64_t most_reserved_bytes(const MemoryFacts& facts);

}  // namespace strata::analysis
