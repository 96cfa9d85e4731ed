// SPDX-License-Identifier: Apache-2.0
// When most of some blocks is there at once.
#pragma once

#include <cstdint>
#include <vector>

#include "host/analysis/facts/block.hpp"

namespace strata::analysis {

struct MostAlive {
  std::uint64_t sequence = 0;  // the birth that makes it so; 0 of no blocks
  std::uint64_t bytes = 0, blocks = 0;
};

// The first of several such moments.
MostAlive most_alive(const std::vector<const Block*>& blocks);

std::uint64_t bytes_of(const std::vector<const Block*>& blocks);

// What the program asked for: a caching allocator may hand out more of one than of its like.
inline std::uint64_t requested_bytes(const Block& block) {
  return block.bytes - block.rounding_bytes;
}

}  // namespace strata::analysis
