// SPDX-License-Identifier: Apache-2.0
// Memory that is reserved but not allocated.
#include <gtest/gtest.h>

#include <algorithm>
#include <variant>
#include <vector>

#include "host/analysis/facts/facts.hpp"
#include "host/analysis/shapes/expandable_segments.hpp"
#include "host/analysis/shapes/families.hpp"
#include "host/analysis/shapes/free_pieces.hpp"

namespace strata::analysis {
namespace {

constexpr std::uint64_t kMebi = 1 << 20;

std::vector<Shape> of_kind(std::vector<Shape> shapes, ShapeKind kind) {
  std::erase_if(shapes, [&](const Shape& shape) { return shape.kind != kind; });
  return shapes;
}

std::vector<Shape> pieces_of(const Facts& facts) {
  return of_kind(unused_reserved(facts), ShapeKind::kFragmentation);
}

// Two segments of 20 MiB with `used` MiB allocated in each, and then a third. At some moment all three
// were fully allocated.
Facts segments_with(std::uint64_t used_mebibytes, std::uint64_t pool_of_second = 0) {
  Facts facts;
  facts.end_ns = 100;
  facts.points.emplace_back().bytes[0] = 60 * kMebi;
  facts.block_places = {{0, 0}, {0, pool_of_second}};
  std::uint64_t sequence = 0, reserved = 0;
  for (std::uint32_t segment = 0; segment < 3; ++segment) {
    const std::uint64_t address = 0x100000000 + segment * 40 * kMebi;
    reserved += 20 * kMebi;
    facts.reserved.push_back({.sequence = ++sequence,
                              .ns = static_cast<std::int64_t>(sequence),
                              .bytes = reserved,
                              .segment_address = address,
                              .change_bytes = 20 * kMebi,
                              .place = {0, segment == 1 ? pool_of_second : 0}});
    Block block;
    block.address = address;
    block.bytes = used_mebibytes * kMebi;
    block.birth_sequence = ++sequence;
    facts.blocks.push_back(block);
  }
  return facts;
}

TEST(Fragmentation, IsTheLessOfWhatWasFreeAndWhatWasTaken) {
  const auto few = pieces_of(segments_with(15));
  ASSERT_EQ(few.size(), 1U);
  EXPECT_EQ(few[0].bytes, 10 * kMebi);
  EXPECT_EQ(few[0].level_bytes, 60 * kMebi);
  EXPECT_EQ(few[0].step, -1);
  EXPECT_EQ(pieces_of(segments_with(2)).at(0).bytes, 20 * kMebi);
}

TEST(Fragmentation, BetweenTwoStepsIsOfTheOneBefore) {
  Facts facts = segments_with(15);
  facts.steps.emplace_back().index = 7;  // from sequence 0 on
  facts.steps.back().end_sequence = 1;
  EXPECT_EQ(pieces_of(facts).at(0).step, 7);
}

TEST(Fragmentation, IsATwentiethOfWhatIsReserved) {
  EXPECT_EQ(pieces_of(segments_with(18)).size(), 1U);  // 4 of 60 MiB
  EXPECT_TRUE(pieces_of(segments_with(19)).empty());
}

TEST(Fragmentation, IsWhatWasNeverAllocatedWhereNoSegmentAloneIsMuch) {
  Facts facts = segments_with(15);
  facts.points[0].bytes[0] = 45 * kMebi;
  const auto many = pieces_of(facts);
  ASSERT_EQ(many.size(), 1U);
  EXPECT_EQ(many[0].bytes, 15 * kMebi);  // 5 beside the second segment, 10 beside the third
  EXPECT_EQ(many[0].level_bytes, 60 * kMebi);
  const auto& detail = std::get<ManySegmentsDetail>(many[0].detail);
  EXPECT_EQ(detail.reserved_bytes, 60 * kMebi);
  EXPECT_EQ(detail.allocated_bytes, 45 * kMebi);
  EXPECT_EQ(detail.segments, 3U);
  EXPECT_EQ(detail.taken_beside_free, 2U);
  facts.points[0].bytes[0] = 52 * kMebi;  // 8 never: less than for the third segment alone
  EXPECT_EQ(pieces_of(facts).at(0).bytes, 10 * kMebi);
  facts = segments_with(19);
  facts.points[0].bytes[0] = 57 * kMebi;  // 3 of 60: less than a tenth
  EXPECT_TRUE(pieces_of(facts).empty());
}

TEST(Fragmentation, IsOfOnePool) {
  // Only the first segment is in the third one's pool: 5 MiB free.
  EXPECT_EQ(pieces_of(segments_with(15, 7)).at(0).bytes, 5 * kMebi);
}

TEST(Fragmentation, NeedsToldSegments) {
  Facts facts = segments_with(10);
  for (ReservedPoint& point : facts.reserved) point.segment_address = kNoSegment;
  EXPECT_TRUE(pieces_of(facts).empty());
  EXPECT_TRUE(reserved_memory(Facts()).taken.empty());
}

TEST(Fragmentation, CountsWhatDied) {
  Facts facts = segments_with(20);
  EXPECT_TRUE(pieces_of(facts).empty());
  facts.blocks[0].death_sequence = 5;  // before the third segment, which is event 5
  EXPECT_EQ(pieces_of(facts).at(0).bytes, 20 * kMebi);
}

// Blocks of 20 MiB, each in a segment of its own and each freed before the next is allocated.
Facts one_after_the_other(const std::vector<Place>& places) {
  Facts facts;
  facts.end_ns = 100;
  facts.block_places = places;
  std::uint64_t sequence = 0, reserved = 0;
  for (std::uint32_t place = 0; place < places.size(); ++place) {
    const std::uint64_t address = 0x100000000 + place * 40 * kMebi;
    facts.reserved.push_back({.sequence = ++sequence,
                              .ns = static_cast<std::int64_t>(sequence),
                              .bytes = reserved += 20 * kMebi,
                              .segment_address = address,
                              .change_bytes = 20 * kMebi,
                              .place = places[place]});
    Block block;
    block.address = address;
    block.bytes = 20 * kMebi;
    block.birth_sequence = ++sequence;
    block.death_sequence = ++sequence;
    block.place = place;
    facts.blocks.push_back(block);
    sequence += 2;  // for a deferred free
  }
  return facts;
}

TEST(UnusedReserved, IsOfStreamsWhereEachNeedsItsOwn) {
  const auto shapes = unused_reserved(one_after_the_other({{1, 0}, {2, 0}, {3, 0}}));
  ASSERT_EQ(shapes.size(), 1U);
  EXPECT_EQ(shapes[0].kind, ShapeKind::kStreamCaches);
  EXPECT_EQ(shapes[0].bytes, 40 * kMebi);
  EXPECT_EQ(std::get<StreamCachesDetail>(shapes[0].detail).streams, 3U);
  EXPECT_EQ(shapes[0].remedies, std::vector{Remedy::kOneStream});
}

TEST(UnusedReserved, IsOfPoolsWhereEachNeedsItsOwn) {
  const auto shapes = unused_reserved(one_after_the_other({{0, 0}, {0, 1}, {0, 2}}));
  ASSERT_EQ(shapes.size(), 1U);
  EXPECT_EQ(shapes[0].kind, ShapeKind::kPrivatePools);
  EXPECT_EQ(shapes[0].bytes, 40 * kMebi);
  EXPECT_EQ(std::get<PrivatePoolsDetail>(shapes[0].detail).pools, 2U);
}

TEST(UnusedReserved, IsOfFreesThatWait) {
  Facts facts = one_after_the_other({{0, 0}, {0, 0}, {0, 0}});
  // Without waiting, each segment is taken beside free ones.
  EXPECT_EQ(unused_reserved(facts).at(0).kind, ShapeKind::kFragmentation);
  std::uint64_t waiting = 0;
  for (const Block& block : facts.blocks)
    facts.samples.deferred.push_back({.sequence = block.death_sequence + 1,
                                      .bytes = waiting += block.bytes,
                                      .address = block.address,
                                      .change_bytes = static_cast<std::int64_t>(block.bytes)});
  const auto shapes = unused_reserved(facts);
  ASSERT_EQ(shapes.size(), 1U);
  EXPECT_EQ(shapes[0].kind, ShapeKind::kDeferredFrees);
  EXPECT_EQ(shapes[0].bytes, 40 * kMebi);
  EXPECT_EQ(std::get<DeferredFreesDetail>(shapes[0].detail).most_bytes, 60 * kMebi);
}

TEST(UnusedReserved, AReleaseForgetsWhatWasNeeded) {
  Facts facts = one_after_the_other({{1, 0}, {2, 0}, {3, 0}});
  for (const std::uint64_t first : {0U, 1U}) {  // both empty segments go before the third comes
    ReservedPoint gone = facts.reserved[first];
    gone.sequence = facts.reserved[2].sequence - 2 + first;
    gone.change_bytes = -gone.change_bytes;
    gone.bytes = 20 * kMebi * (1 - first);
    facts.reserved.push_back(gone);
  }
  std::ranges::sort(facts.reserved, {}, &ReservedPoint::sequence);
  facts.reserved.back().bytes = 20 * kMebi;
  const auto shapes = unused_reserved(facts);
  ASSERT_EQ(shapes.size(), 1U);
  EXPECT_EQ(shapes[0].bytes, 20 * kMebi);  // of two streams, while both were active
}

TEST(ExpandableSegments, GrowWhereAFreePieceIsTooSmall) {
  // 10, 10 and 25 MiB; the first is freed before the third is allocated.
  Facts facts = one_after_the_other({{0, 0}});
  facts.blocks.clear();
  std::uint64_t sequence = 1, address = 0x100000000;
  for (const std::uint64_t size : {10U, 10U, 25U}) {
    Block block;
    block.address = address;
    block.bytes = size * kMebi;
    block.birth_sequence = ++sequence;
    facts.blocks.push_back(block);
    address += block.bytes;
  }
  facts.blocks[0].death_sequence = facts.blocks[2].birth_sequence;
  EXPECT_EQ(most_reserved_if_expandable(facts), 60 * kMebi);  // 20, then 25 in units of 20
  facts.blocks[1].death_sequence = facts.blocks[2].birth_sequence;
  EXPECT_EQ(most_reserved_if_expandable(facts), 40 * kMebi);  // the 20 grow by one unit
}

}  // namespace
}  // namespace strata::analysis
