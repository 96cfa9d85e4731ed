// SPDX-License-Identifier: Apache-2.0
#include "host/export/snapshot/segments.hpp"

#include <algorithm>
#include <cstdlib>
#include <iterator>

#include "host/analysis/facts/memory_facts.hpp"
#include "host/export/event_order.hpp"

namespace strata::exports {
namespace {

using analysis::Block;
using analysis::MemoryFacts;
using analysis::ReservedPoint;

constexpr std::uint64_t kGapWithin = std::uint64_t{1} << 20;

// The end of the interval; the largest address if a damaged store exceeds it.
std::uint64_t end_of(std::uint64_t address, std::uint64_t bytes) {
  return bytes > UINT64_MAX - address ? UINT64_MAX : address + bytes;
}

std::uint64_t end_of(const Block& block) {
  return end_of(block.address, block.bytes);
}

// The intervals known from segment events, plus those that blocks need.
struct Held {
  Ranges segments, made_up;
  bool expandable = false;

  void change(const ReservedPoint& point) {
    if (point.segment_address == analysis::kNoSegment) return;
    const std::uint64_t bytes = static_cast<std::uint64_t>(std::abs(point.change_bytes));
    const std::uint64_t end = end_of(point.segment_address, bytes);
    point.change_bytes > 0 ? segments.add(point.segment_address, end)
                           : segments.remove(point.segment_address, end);
  }

  void need(const Block& block) {
    const Ranges::Held held = segments.held(block.address, end_of(block));
    if (held == Ranges::Held::kBySeveral) expandable = true;
    if (held == Ranges::Held::kNot) made_up.merge(block.address, end_of(block), kGapWithin);
  }
};

std::vector<std::uint32_t> alive_by_address(const MemoryFacts& facts) {
  std::vector<std::uint32_t> alive;
  for (std::uint32_t index = 0; index < facts.blocks.size(); ++index) {
    if (facts.blocks[index].death_sequence == UINT64_MAX) alive.push_back(index);
  }
  std::ranges::sort(alive, {}, [&](std::uint32_t index) { return facts.blocks[index].address; });
  return alive;
}

// Blocks that a damaged store lets overlap are left out: pieces have to fill their segment.
Segment fill(std::uint64_t begin, std::uint64_t end, const MemoryFacts& facts,
             const std::vector<std::uint32_t>& alive) {
  Segment segment{begin, end - begin, 0, {}};
  std::uint64_t filled = begin;
  auto next = std::ranges::lower_bound(alive, begin, {},
                                       [&](std::uint32_t index) { return facts.blocks[index].address; });
  for (; next != alive.end() && facts.blocks[*next].address < end; ++next) {
    const Block& block = facts.blocks[*next];
    if (block.bytes == 0 || block.address < filled || block.bytes > end - block.address) continue;
    if (block.address > filled) segment.pieces.push_back({block.address - filled, Piece::kFree});
    segment.pieces.push_back({block.bytes, *next});
    segment.allocated_bytes += block.bytes;
    filled = end_of(block);
  }
  if (filled < end) segment.pieces.push_back({end - filled, Piece::kFree});
  return segment;
}

}  // namespace

void Ranges::add(std::uint64_t begin, std::uint64_t end) {
  remove(begin, end);
  if (begin < end) ranges_.emplace(begin, end);
}

void Ranges::remove(std::uint64_t begin, std::uint64_t end) {
  auto range = ranges_.upper_bound(begin);
  if (range != ranges_.begin()) --range;
  while (range != ranges_.end() && range->first < end) {
    const auto [range_begin, range_end] = *range;
    if (range_end <= begin) {
      ++range;
      continue;
    }
    range = ranges_.erase(range);
    if (range_begin < begin) ranges_.emplace(range_begin, begin);
    if (range_end > end) ranges_.emplace(end, range_end);
  }
}

void Ranges::merge(std::uint64_t begin, std::uint64_t end, std::uint64_t gap) {
  auto range = ranges_.upper_bound(begin);
  if (range != ranges_.begin() && end_of(std::prev(range)->second, gap) >= begin) --range;
  while (range != ranges_.end() && range->first <= end_of(end, gap)) {
    begin = std::min(begin, range->first);
    end = std::max(end, range->second);
    range = ranges_.erase(range);
  }
  if (begin < end) ranges_.emplace(begin, end);
}

Ranges::Held Ranges::held(std::uint64_t begin, std::uint64_t end) const {
  auto range = ranges_.upper_bound(begin);
  if (range == ranges_.begin()) return Held::kNot;
  --range;
  if (range->second >= end) return Held::kByOne;
  for (std::uint64_t reached = range->second; begin < reached;) {
    if (reached >= end) return Held::kBySeveral;
    if (++range == ranges_.end() || range->first != reached) break;
    reached = range->second;
  }
  return Held::kNot;
}

SegmentLayout segments_at_end(const MemoryFacts& facts) {
  Held held;
  for_each_event(facts, [&](const Event& event) {
    if (event.kind == Event::Kind::kSegment) held.change(facts.reserved[event.index]);
    if (event.kind == Event::Kind::kAllocate) held.need(facts.blocks[event.index]);
  });
  const std::vector<std::uint32_t> alive = alive_by_address(facts);
  for (const std::uint32_t index : alive) held.need(facts.blocks[index]);  // its segment may be gone

  Ranges mapped;
  for (const auto& [begin, end] : held.segments.all()) {
    held.expandable ? mapped.merge(begin, end, 0) : mapped.add(begin, end);
  }
  SegmentLayout layout{held.expandable, {}};
  for (const Ranges* ranges : {&mapped, &held.made_up}) {
    for (const auto& [begin, end] : ranges->all()) layout.segments.push_back(fill(begin, end, facts, alive));
  }
  std::ranges::sort(layout.segments, {}, &Segment::address);
  return layout;
}

}  // namespace strata::exports
