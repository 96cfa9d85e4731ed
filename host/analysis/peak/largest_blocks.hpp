// SPDX-License-Identifier: Apache-2.0
// How many of a run's allocations are shown: only the largest, or all.
#pragma once

#include <cstdint>
#include <vector>

namespace strata::analysis {

struct MemoryFacts;

// A detail d shows the largest fraction d of all allocations of the run, by number, and all others as large
// as the smallest of these: for 1,000 allocations, 0.1 shows the 100 largest and any others of the same size
// as the hundredth. The page counts in the same way (host/report/page/timeline/detail.js).
struct LargestBlocks {
  std::uint64_t least_bytes = 0;  // of those shown; 0 if there are none
  std::vector<std::uint32_t>
      blocks;               // indices into Facts::blocks: largest first, among equal ones in order of birth
  std::uint64_t bytes = 0;  // of all of them, over the run
  std::uint64_t all_blocks = 0, all_bytes = 0;
};

// `detail` in (0, 1]; otherwise throws std::invalid_argument.
LargestBlocks largest_blocks(const MemoryFacts& facts, double detail);

}  // namespace strata::analysis
