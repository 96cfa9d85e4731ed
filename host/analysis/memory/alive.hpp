// SPDX-License-Identifier: Apache-2.0
// When the most memory of a set of blocks is alive at once.
#pragma once

#include <cstdint>
#include <vector>

#include "host/analysis/facts/block.hpp"

namespace strata::analysis {

struct MostAlive {
  std::uint64_t sequence = 0;  // the birth at that moment; 0 without blocks
  std::uint64_t bytes = 0, blocks = 0;
};

// The first such moment if there are several.
MostAlive most_alive(const std::vector<const Block*>& blocks);

std::uint64_t bytes_of(const std::vector<const Block*>& blocks);

// The requested size: a caching allocator may hand out blocks of different sizes for equal requests.
inline std::uint64_t requested_bytes(const Block& block) {
  return block.bytes - block.rounding_bytes;
}

}  // namespace strata::analysis
