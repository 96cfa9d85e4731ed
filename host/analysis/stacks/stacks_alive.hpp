// SPDX-License-Identifier: Apache-2.0
// What is alive at a moment, by the stack that allocated it.
#pragma once

#include <cstdint>
#include <vector>

#include "host/analysis/facts/block.hpp"
#include "host/analysis/facts/call_stacks.hpp"

namespace strata::analysis {

struct StackShare {
  std::uint32_t stack = 0;  // index into CallStacks::addresses
  std::uint64_t bytes = 0, blocks = 0;
  // All bytes that such stacks allocated, those that were not chosen too, and the standard error of that:
  // equal to `bytes`, and 0, where each had to be chosen.
  double estimated_bytes = 0, standard_error_bytes = 0;
  std::uint32_t largest_block = 0;  // index into Facts::blocks
};

struct StacksAlive {
  std::vector<StackShare> shares;                       // largest estimate first
  std::uint64_t bytes = 0;                              // of all blocks alive
  std::uint64_t bytes_without = 0, blocks_without = 0;  // a stack
  bool sampled = false;                                 // some were chosen by chance
};

StacksAlive stacks_alive(const std::vector<Block>& blocks, const CallStacks& stacks, std::uint64_t sequence);

}  // namespace strata::analysis
