// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/stacks/stacks_alive.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace strata::analysis {

StacksAlive stacks_alive(const std::vector<Block>& blocks, const CallStacks& stacks, std::uint64_t sequence) {
  StacksAlive alive;
  std::unordered_map<std::uint32_t, std::size_t> index;
  for (std::uint32_t number = 0; number < blocks.size(); ++number) {
    const Block& block = blocks[number];
    if (sequence < block.birth_sequence || block.death_sequence <= sequence) continue;
    alive.bytes += block.bytes;
    const TakenStack* const taken = stacks.at(block.birth_sequence);
    if (taken == nullptr) {
      alive.bytes_without += block.bytes;
      ++alive.blocks_without;
      continue;
    }
    const auto [found, is_new] = index.try_emplace(taken->stack, alive.shares.size());
    if (is_new) {
      StackShare share;
      share.stack = taken->stack;
      share.largest_block = number;
      alive.shares.push_back(share);
    }
    StackShare& share = alive.shares[found->second];
    const auto bytes = static_cast<double>(block.bytes);
    share.bytes += block.bytes;
    ++share.blocks;
    // Horvitz and Thompson's estimator of a sum and of its variance, which is summed here.
    share.estimated_bytes += bytes / taken->chance;
    share.standard_error_bytes += bytes * bytes * (1 - taken->chance) / (taken->chance * taken->chance);
    alive.sampled |= taken->chance < 1;
    if (block.bytes > blocks[share.largest_block].bytes) share.largest_block = number;
  }
  for (StackShare& share : alive.shares) share.standard_error_bytes = std::sqrt(share.standard_error_bytes);
  std::stable_sort(alive.shares.begin(), alive.shares.end(),
                   [](const StackShare& left, const StackShare& right) {
                     return left.estimated_bytes > right.estimated_bytes;
                   });
  return alive;
}

}  // namespace strata::analysis
