// SPDX-License-Identifier: Apache-2.0
// How much of a run's allocations is looked at: the largest alone, or all.
#pragma once

#include <cstdint>
#include <vector>

namespace strata::analysis {

struct MemoryFacts;

// A detail d shows the largest d of all allocations of the run, by their number, and with them all that are
// as large as the smallest of these: 0.1 of 1,000 allocations shows the 100 largest, and any more of the same
// size as the hundredth. The page counts in the same way (host/report/page/timeline/detail.js).
struct LargestBlocks {
  std::uint64_t least_bytes = 0;  // of those shown; 0 with none
  std::vector<std::uint32_t>
      blocks;               // indices into Facts::blocks: the largest first, of equal ones the first born
  std::uint64_t bytes = 0;  // of them all, over the run
  std::uint64_t all_blocks = 0, all_bytes = 0;
};

// `detail` in (0, 1]; throws std::invalid_argument otherwise.
LargestBlocks largest_blocks(const MemoryFacts& facts, double detail);

}  // namespace strata::analysis
