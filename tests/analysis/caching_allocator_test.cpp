// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/allocator/caching_allocator.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <random>
#include <vector>

#include "strata/ext/memory.h"

namespace strata::analysis {
namespace {

using Sizes = std::vector<std::uint64_t>;

// An event of `bytes`; before it the allocator had handed out `handed_out` bytes.
MemoryRow event(std::uint32_t action, std::uint64_t bytes, std::uint64_t handed_out) {
  return {.sequence = 0,
          .ns = 0,
          .thread = 1,
          .action = action,
          .device = {.type = STRATA_DEVICE_CUDA, .index = 0},
          .address = 0x1000,
          .bytes = bytes,
          .handed_out_bytes = handed_out,
          .op = 0,
          .phase = 0,
          .module = 0,
          .stream = 0,
          .pool = 0};
}

Sizes sizes_of(std::vector<MemoryRow> events) {
  use_whole_blocks(events);
  Sizes sizes;
  for (const MemoryRow& row : events) sizes.push_back(row.bytes);
  return sizes;
}

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

TEST(WholeBlocks, AreWhatTheNextEventTells) {
  EXPECT_EQ(sizes_of({event(STRATA_MEMORY_ALLOCATE, 4, 0), event(STRATA_MEMORY_ALLOCATE, 1000, 512),
                      event(STRATA_MEMORY_FREE, 4, 512 + 1024)}),
            (Sizes{512, 1024, 4}));
}

// A block of 11 MiB + 1 keeps the rest of its 12 MiB segment: a remainder of at most 1 MiB is not split off.
TEST(WholeBlocks, KeepARestThatIsNotSplitOff) {
  EXPECT_EQ(sizes_of({event(STRATA_MEMORY_SEGMENT_ALLOCATE, 12 * kMiB, 512),
                      event(STRATA_MEMORY_ALLOCATE, 11 * kMiB + 1, 512),
                      event(STRATA_MEMORY_FREE, 11 * kMiB + 1, 512 + 12 * kMiB)}),
            (Sizes{12 * kMiB, 12 * kMiB, 11 * kMiB + 1}));
}

TEST(WholeBlocks, AreRoundedWhereNothingFollows) {
  EXPECT_EQ(sizes_of({event(STRATA_MEMORY_ALLOCATE, 513, 512)}), Sizes{1024});
}

TEST(WholeBlocks, AreRoundedWhereTheProgramSetTheCountBack) {
  EXPECT_EQ(sizes_of({event(STRATA_MEMORY_ALLOCATE, 600, 4096), event(STRATA_MEMORY_FREE, 600, 0)}),
            (Sizes{1024, 600}));
}

TEST(WholeBlocks, AreWhatWasAskedForWhereNobodyCounts) {
  EXPECT_EQ(sizes_of({event(STRATA_MEMORY_ALLOCATE, 3, 0), event(STRATA_MEMORY_FREE, 0, 0)}), (Sizes{3, 0}));
}

MemoryRow at(std::uint64_t sequence, MemoryRow row) {
  row.sequence = sequence;
  row.ns = static_cast<std::int64_t>(10 * sequence);
  return row;
}

TEST(Reserved, FollowsTheSegments) {
  const std::vector<ReservedPoint> points = reserved_points(
      {at(2, event(STRATA_MEMORY_SEGMENT_ALLOCATE, 2 * kMiB, 0)), at(3, event(STRATA_MEMORY_ALLOCATE, 4, 0)),
       at(5, event(STRATA_MEMORY_SEGMENT_ALLOCATE, 20 * kMiB, 512)),
       at(7, event(STRATA_MEMORY_SEGMENT_FREE, 2 * kMiB, 512)),
       at(9, event(STRATA_MEMORY_SEGMENT_FREE, 90 * kMiB, 512))});
  ASSERT_EQ(points.size(), 4u);
  EXPECT_EQ(points[1].ns, 50);
  EXPECT_EQ(points[1].change_bytes, static_cast<std::int64_t>(20 * kMiB));
  EXPECT_EQ(points[2].change_bytes, -static_cast<std::int64_t>(2 * kMiB));
  EXPECT_EQ(reserved_at(points, 1), 0u);
  EXPECT_EQ(reserved_at(points, 2), 2 * kMiB);
  EXPECT_EQ(reserved_at(points, 4), 2 * kMiB);
  EXPECT_EQ(reserved_at(points, 8), 20 * kMiB);
  EXPECT_EQ(reserved_at(points, 9), 0u) << "of a segment that was there before the recording began";
  EXPECT_EQ(most_reserved(points, 0, 4), 2 * kMiB);
  EXPECT_EQ(most_reserved(points, 3, 6), 22 * kMiB);
  EXPECT_EQ(most_reserved(points, 6, 6), 22 * kMiB) << "what holds at its begin";
  EXPECT_EQ(most_reserved(points, 8, 90), 20 * kMiB);
}

TEST(Reserved, FollowsTheSumWhereSegmentsAreNotTold) {
  const std::vector<ReservedPoint> points = reserved_points(
      {at(2, event(STRATA_MEMORY_RESERVED, 32 * kMiB, 0)), at(3, event(STRATA_MEMORY_ALLOCATE, 4, 0)),
       at(5, event(STRATA_MEMORY_RESERVED, 8 * kMiB, 512))});
  ASSERT_EQ(points.size(), 2u);
  EXPECT_EQ(points[0].bytes, 32 * kMiB);
  EXPECT_EQ(points[1].change_bytes, -static_cast<std::int64_t>(24 * kMiB));
  EXPECT_EQ(points[1].segment_address, kNoSegment);
  EXPECT_EQ(reserved_at(points, 4), 32 * kMiB);
  EXPECT_EQ(reserved_at(points, 5), 8 * kMiB);
}

// Gaps, compared with a device of a few bytes that records for each byte whether it is reserved and
// allocated.
TEST(LargestGaps, AreThoseOfADeviceByteByByte) {
  std::mt19937 random(7);
  for (int trial = 0; trial < 200; ++trial) {
    constexpr std::size_t kBytes = 48;
    std::array<bool, kBytes + 1> reserved{}, allocated{};
    std::vector<MemoryRow> events;
    std::vector<FailureRow> failures;
    std::vector<std::uint64_t> wanted;
    const auto happens = [&](std::uint32_t action, std::uint64_t begin, std::uint64_t bytes) {
      MemoryRow row = event(action, bytes, 0);
      row.sequence = events.size() + 1;
      row.address = begin;
      events.push_back(row);
    };
    std::map<std::uint64_t, std::uint64_t> blocks;
    for (int step = 0; step < 40; ++step) {
      const std::size_t begin = random() % kBytes, end = begin + 1 + random() % (kBytes - begin);
      const auto all = [&](const auto& is) { return std::all_of(&is[begin], &is[end], std::identity()); };
      const auto none = [&](const auto& is) { return std::none_of(&is[begin], &is[end], std::identity()); };
      const std::uint64_t bytes = end - begin;
      switch (random() % 5) {
        case 0:
          if (!none(reserved)) break;
          happens(STRATA_MEMORY_SEGMENT_ALLOCATE, begin, bytes);
          std::fill(&reserved[begin], &reserved[end], true);
          break;
        case 1:
          if (!all(reserved) || !none(allocated)) break;
          happens(STRATA_MEMORY_SEGMENT_FREE, begin, bytes);
          std::fill(&reserved[begin], &reserved[end], false);
          break;
        case 2:
          if (!all(reserved) || !none(allocated)) break;
          happens(STRATA_MEMORY_ALLOCATE, begin, bytes);
          std::fill(&allocated[begin], &allocated[end], true);
          blocks[begin] = end;
          break;
        case 3:
          if (blocks.empty()) break;
          happens(STRATA_MEMORY_FREE, blocks.begin()->first, 0);
          std::fill(&allocated[blocks.begin()->first], &allocated[blocks.begin()->second], false);
          blocks.erase(blocks.begin());
          break;
        default:
          happens(STRATA_MEMORY_OUT_OF_MEMORY, 0, 99);
          failures.emplace_back().sequence = events.back().sequence;
          std::uint64_t largest = 0, run = 0;
          for (std::size_t byte = 0; byte <= kBytes; ++byte) {
            run = reserved[byte] && !allocated[byte] ? run + 1 : 0;
            largest = std::max(largest, run);
          }
          wanted.push_back(largest);
      }
    }
    find_gaps(events, "expandable_segments:True", failures);
    for (std::size_t i = 0; i < wanted.size(); ++i)
      ASSERT_EQ(failures[i].largest_gap_bytes, wanted[i]) << "trial " << trial << ", failure " << i;
  }
}

TEST(LargestGaps, EndWithTheirSegmentsWhereTheseDoNotGrow) {
  std::vector<MemoryRow> events(4);
  events[0].action = events[1].action = STRATA_MEMORY_SEGMENT_ALLOCATE;
  events[0].address = 100;
  events[0].bytes = 20;
  events[1].address = 120;
  events[1].bytes = 30;
  events[2].action = events[3].action = STRATA_MEMORY_OUT_OF_MEMORY;
  for (std::size_t i = 0; i < events.size(); ++i) events[i].sequence = i + 1;
  const auto largest = [&](const char* settings) {
    std::vector<FailureRow> failures(2);
    failures[0].sequence = 3;
    failures[1].sequence = 4;
    find_gaps(events, settings, failures);
    return failures[1].largest_gap_bytes;
  };
  EXPECT_EQ(largest(""), 30u);
  EXPECT_EQ(largest("max_split_size_mb:64"), 30u);
  EXPECT_EQ(largest("expandable_segments:True,max_split_size_mb:64"), 50u);
}

// A segment mapped in three pieces of 20, with a block across the border of the first two and one in the
// third, and a second segment reserved elsewhere. No settings were recorded.
TEST(LargestGaps, AreOfMappedMemoryWhereABlockReachesOverPieces) {
  std::vector<MemoryRow> events;
  std::vector<FailureRow> failures;
  const auto happens = [&](std::uint32_t action, std::uint64_t begin, std::uint64_t bytes) {
    MemoryRow& row = events.emplace_back();
    row.sequence = events.size();
    row.action = action;
    row.address = begin;
    row.bytes = bytes;
  };
  const auto fails = [&] {
    happens(STRATA_MEMORY_OUT_OF_MEMORY, 0, 99);
    failures.emplace_back().sequence = events.size();
  };
  for (const std::uint64_t begin : {100u, 120u, 140u}) happens(STRATA_MEMORY_SEGMENT_ALLOCATE, begin, 20);
  happens(STRATA_MEMORY_ALLOCATE, 100, 35);
  happens(STRATA_MEMORY_ALLOCATE, 150, 5);
  fails();
  happens(STRATA_MEMORY_FREE, 100, 35);
  fails();
  happens(STRATA_MEMORY_SEGMENT_FREE, 100, 40);
  fails();
  happens(STRATA_MEMORY_SEGMENT_ALLOCATE, 100, 20);
  happens(STRATA_MEMORY_FREE, 150, 5);
  fails();
  find_gaps(events, "", failures);
  EXPECT_EQ(failures[0].largest_gap_bytes, 15u);
  EXPECT_EQ(failures[1].largest_gap_bytes, 50u);
  EXPECT_EQ(failures[2].largest_gap_bytes, 10u) << "what is unmapped is no gap";
  EXPECT_EQ(failures[3].largest_gap_bytes, 20u) << "across what is unmapped nothing is one piece";
}

}  // namespace
}  // namespace strata::analysis
