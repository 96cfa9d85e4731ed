// SPDX-License-Identifier: Apache-2.0
#include "host/export/snapshot/segments.hpp"
#include "host/analysis/facts/facts.hpp"

#include <gtest/gtest.h>

#include <utility>

#include "host/export/event_order.hpp"

namespace strata::exports {
namespace {

using analysis::Block;
using analysis::Facts;
using Intervals = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

Intervals all(const Ranges& ranges) {
  return {ranges.all().begin(), ranges.all().end()};
}

Block block(std::uint64_t address, std::uint64_t bytes, std::uint64_t birth,
            std::uint64_t death = UINT64_MAX) {
  Block block;
  block.address = address;
  block.bytes = bytes;
  block.birth_sequence = birth;
  block.death_sequence = death;
  return block;
}

analysis::ReservedPoint change(std::uint64_t sequence, std::uint64_t address, std::int64_t bytes) {
  analysis::ReservedPoint point;
  point.sequence = sequence;
  point.segment_address = address;
  point.change_bytes = bytes;
  return point;
}

// The begin and end of each segment; checks that its pieces fill it.
Intervals intervals(const SegmentLayout& layout, const Facts& facts) {
  Intervals list;
  for (const Segment& segment : layout.segments) {
    list.emplace_back(segment.address, segment.address + segment.bytes);
    std::uint64_t address = segment.address, allocated = 0;
    for (const Piece& piece : segment.pieces) {
      if (piece.block != Piece::kFree) {
        EXPECT_EQ(facts.blocks.at(piece.block).address, address);
        EXPECT_EQ(facts.blocks.at(piece.block).bytes, piece.bytes);
        allocated += piece.bytes;
      }
      address += piece.bytes;
    }
    EXPECT_EQ(address, segment.address + segment.bytes);
    EXPECT_EQ(allocated, segment.allocated_bytes);
  }
  return list;
}

TEST(Ranges, AreCutByWhatIsRemoved) {
  Ranges ranges;
  ranges.add(10, 20);
  ranges.add(20, 30);
  EXPECT_EQ(all(ranges), (Intervals{{10, 20}, {20, 30}}));
  ranges.remove(12, 14);
  EXPECT_EQ(all(ranges), (Intervals{{10, 12}, {14, 20}, {20, 30}}));
  ranges.remove(0, 11);
  ranges.remove(18, 25);
  ranges.remove(40, 50);
  EXPECT_EQ(all(ranges), (Intervals{{11, 12}, {14, 18}, {25, 30}}));
  ranges.add(0, 100);
  EXPECT_EQ(all(ranges), (Intervals{{0, 100}}));
  ranges.remove(0, 100);
  EXPECT_TRUE(ranges.all().empty());
}

TEST(Ranges, BecomeOneWhereTheyLieClose) {
  Ranges ranges;
  ranges.merge(100, 110, 5);
  ranges.merge(130, 140, 5);
  ranges.merge(116, 120, 5);
  EXPECT_EQ(all(ranges), (Intervals{{100, 110}, {116, 120}, {130, 140}}));
  ranges.merge(115, 116, 5);
  EXPECT_EQ(all(ranges), (Intervals{{100, 120}, {130, 140}}));
  ranges.merge(90, 125, 5);
  EXPECT_EQ(all(ranges), (Intervals{{90, 140}}));
  ranges.merge(UINT64_MAX - 3, UINT64_MAX, 5);
  EXPECT_EQ(ranges.all().size(), 2u);
}

TEST(Ranges, KnowWhatTheyHold) {
  Ranges ranges;
  ranges.add(10, 20);
  ranges.add(20, 30);
  ranges.add(40, 50);
  EXPECT_EQ(ranges.held(10, 20), Ranges::Held::kByOne);
  EXPECT_EQ(ranges.held(12, 13), Ranges::Held::kByOne);
  EXPECT_EQ(ranges.held(15, 30), Ranges::Held::kBySeveral);
  EXPECT_EQ(ranges.held(15, 31), Ranges::Held::kNot);
  EXPECT_EQ(ranges.held(30, 41), Ranges::Held::kNot);
  EXPECT_EQ(ranges.held(0, 11), Ranges::Held::kNot);
}

TEST(Segments, OfAnAllocatorWithoutThemAreWhereBlocksWere) {
  Facts facts;
  facts.blocks = {block(0x1000, 16, 1), block(0x2000, 16, 2, 3), block(0x9000000, 32, 4)};
  const SegmentLayout layout = segments_at_end(facts);
  EXPECT_FALSE(layout.expandable);
  EXPECT_EQ(intervals(layout, facts), (Intervals{{0x1000, 0x2010}, {0x9000000, 0x9000020}}));
  EXPECT_EQ(layout.segments[0].allocated_bytes, 16u);
}

TEST(Segments, OfACachingAllocatorAreThoseItKept) {
  Facts facts;
  facts.reserved = {change(1, 1000, 100), change(2, 1100, 100), change(9, 1000, -100)};
  facts.blocks = {block(1000, 100, 3, 8), block(1120, 10, 4), block(1150, 10, 5, 6)};
  const SegmentLayout layout = segments_at_end(facts);
  EXPECT_FALSE(layout.expandable);
  EXPECT_EQ(intervals(layout, facts), (Intervals{{1100, 1200}}));
  ASSERT_EQ(layout.segments[0].pieces.size(), 3u);
}

TEST(Segments, AreExpandableWhereABlockReachesOverTwo) {
  Facts facts;
  facts.reserved = {change(1, 1000, 100), change(2, 1100, 100), change(3, 5000, 100), change(7, 1150, -50)};
  facts.blocks = {block(1050, 80, 4), block(5000, 10, 5)};
  const SegmentLayout layout = segments_at_end(facts);
  EXPECT_TRUE(layout.expandable);
  EXPECT_EQ(intervals(layout, facts), (Intervals{{1000, 1150}, {5000, 5100}}));
}

TEST(Segments, AreMadeUpWhereTheirEventsAreMissing) {
  Facts facts;
  facts.reserved = {change(4, 1000, 100), change(6, 1000, -100)};
  facts.blocks = {block(900'000'000, 10, 1, 2), block(1020, 10, 5)};
  EXPECT_EQ(intervals(segments_at_end(facts), facts), (Intervals{{1020, 1030}, {900'000'000, 900'000'010}}))
      << "of a block that no segment held, and of one whose segment went before it";
}

TEST(Segments, AreFilledWhateverADamagedStoreSays) {
  Facts facts;
  facts.blocks = {block(1000, 100, 1), block(1050, 100, 2), block(1200, 0, 3), block(UINT64_MAX - 5, 100, 4)};
  intervals(segments_at_end(facts), facts);
}

TEST(EventOrder, PutsAnEndBeforeABirthOfTheSameEvent) {
  Facts facts;
  facts.reserved = {change(1, 1000, 100), change(5, 1000, -100)};
  facts.blocks = {block(1000, 10, 2, 3), block(1000, 20, 3, 4), block(1020, 20, 6)};
  std::vector<std::pair<Event::Kind, std::size_t>> order;
  for_each_event(facts, [&](const Event& event) { order.emplace_back(event.kind, event.index); });
  using enum Event::Kind;
  EXPECT_EQ(order, (decltype(order){{kSegment, 0},
                                    {kAllocate, 0},
                                    {kFree, 0},
                                    {kAllocate, 1},
                                    {kFree, 1},
                                    {kSegment, 1},
                                    {kAllocate, 2}}));
  EXPECT_EQ(count_events(facts), order.size());
}

}  // namespace
}  // namespace strata::exports
