// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/peak/largest_blocks.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "host/analysis/facts/memory_facts.hpp"

namespace strata::analysis {

LargestBlocks largest_blocks(const MemoryFacts& facts, double detail) {
  if (!(detail > 0.0 && detail <= 1.0))
    throw std::invalid_argument("a detail is a part of all allocations, above 0 and at most 1");
  LargestBlocks largest;
  largest.all_blocks = facts.blocks.size();
  for (const Block& block : facts.blocks) largest.all_bytes += block.bytes;
  if (facts.blocks.empty()) return largest;

  const auto bytes_of = [&](std::uint32_t index) { return facts.blocks[index].bytes; };
  std::vector<std::uint32_t>& order = largest.blocks;
  order.resize(facts.blocks.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(order, std::greater{}, bytes_of);
  const double wanted = std::ceil(static_cast<double>(order.size()) * detail);
  const std::size_t count = std::clamp<std::size_t>(static_cast<std::size_t>(wanted), 1, order.size());
  largest.least_bytes = bytes_of(order[count - 1]);
  const auto end = std::ranges::upper_bound(order, largest.least_bytes, std::greater{}, bytes_of);
  order.erase(end, order.end());
  for (const std::uint32_t index : order) largest.bytes += bytes_of(index);
  return largest;
}

}  // namespace strata::analysis
