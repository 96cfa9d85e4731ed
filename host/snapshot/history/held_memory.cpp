// SPDX-License-Identifier: Apache-2.0
#include "host/snapshot/history/held_memory.hpp"

#include <algorithm>
#include <iterator>

namespace strata::snapshot {

Segments::const_iterator segment_at(const Segments& segments, std::uint64_t address) {
  const auto after = segments.upper_bound(address);
  if (after == segments.begin()) return segments.end();
  const auto found = std::prev(after);
  return address < found->second.end ? found : segments.end();
}

std::vector<std::pair<std::uint64_t, HeldSegment>> cut(Segments& segments, std::uint64_t begin,
                                                       std::uint64_t end) {
  std::vector<std::pair<std::uint64_t, HeldSegment>> removed;
  auto segment = segments.upper_bound(begin);
  if (segment != segments.begin()) --segment;
  while (segment != segments.end() && segment->first < end) {
    const auto [first, held] = *segment;
    if (held.end <= begin) {
      ++segment;
      continue;
    }
    segment = segments.erase(segment);
    HeldSegment middle = held;
    middle.end = std::min(held.end, end);
    removed.emplace_back(std::max(first, begin), middle);
    if (first < begin) {
      HeldSegment before = held;
      before.end = begin;
      segments.emplace(first, before);
    }
    if (held.end > end) segments.emplace(end, held);
  }
  return removed;
}

std::vector<std::pair<std::uint64_t, HeldBlock>> cut(Blocks& blocks, std::uint64_t begin, std::uint64_t end) {
  std::vector<std::pair<std::uint64_t, HeldBlock>> removed;
  auto block = blocks.upper_bound(begin);
  if (block != blocks.begin()) --block;
  while (block != blocks.end() && block->first < end) {
    if (block->first + block->second.bytes <= begin && block->first != begin) {
      ++block;
      continue;
    }
    removed.emplace_back(block->first, block->second);
    block = blocks.erase(block);
  }
  return removed;
}

}  // namespace strata::snapshot
