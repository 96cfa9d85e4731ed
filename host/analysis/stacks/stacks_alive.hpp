// SPDX-License-Identifier: Apache-2.0
// The memory alive at a moment, by the stack that allocated it.
#pragma once

#include <cstdint>
#include <vector>

#include "host/analysis/facts/block.hpp"
#include "host/analysis/facts/call_stacks.hpp"

namespace strata::analysis {

struct StackShare {
  std::uint32_t stack = 0;  // index into CallStacks::addresses
  std::uint64_t bytes = 0, blocks = 0;
  // The estimate for all allocations with such stacks, including those that were not chosen, and its standard
  // error: equal to `bytes`, and 0, if each had to be chosen.
  double estimated_bytes = 0, standard_error_bytes = 0;
  std::uint32_t largest_block = 0;  // index into Facts::blocks
};

struct StacksAlive {
  std::vector<StackShare> shares;                       // largest estimate first
  std::uint64_t bytes = 0;                              // of all live blocks
  std::uint64_t bytes_without = 0, blocks_without = 0;  // live blocks without a stack
  bool sampled = false;                                 // some were chosen at random
};

StacksAlive stacks_alive(const std::vector<Block>& blocks, const CallStacks& stacks, std::uint64_t sequence);

}  // namespace strata::analysis
