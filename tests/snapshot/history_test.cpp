// SPDX-License-Identifier: Apache-2.0
// The blocks alive at the begin of a history, and the sums after each entry.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "host/snapshot/history/playback.hpp"
#include "host/snapshot/model/read_snapshot.hpp"
#include "strata/ext/memory.h"
#include "tests/snapshot/snapshot_pickle.hpp"

namespace strata::snapshot {
namespace {

using testing::Device;
using testing::Entry;
using testing::kMiB;

constexpr std::uint64_t kBase = std::uint64_t{1} << 40;

// The sums that a reader of the events would compute.
class Sums : public EventSink {
 public:
  void event(const MemoryEvent& event) override {
    switch (event.action) {
      case STRATA_MEMORY_ALLOCATE:
        EXPECT_TRUE(live.emplace(event.address, event.whole_bytes).second) << "allocated twice";
        allocated += event.whole_bytes;
        break;
      case STRATA_MEMORY_FREE:
        ASSERT_TRUE(live.contains(event.address)) << "freed without an allocation";
        allocated -= live[event.address];
        live.erase(event.address);
        break;
      case STRATA_MEMORY_SEGMENT_ALLOCATE:
        reserved += event.bytes;
        break;
      case STRATA_MEMORY_SEGMENT_FREE:
        reserved -= event.bytes;
        break;
      case STRATA_MEMORY_FREE_DEFERRED:
        ++deferred;
        break;
      default:
        break;
    }
    peak = std::max(peak, allocated);
  }

  std::map<std::uint64_t, std::uint64_t> live;
  std::uint64_t allocated = 0, reserved = 0, peak = 0, deferred = 0;
};

struct Played {
  HeldAtFirst first;
  Sums sums;
  bool was_stopped = false;
};

Played play(const Device& device) {
  const std::string file = testing::SnapshotPickle({device}).text();
  const Snapshot snapshot = read_snapshot(testing::bytes_of(file), "file");
  Playback playback(snapshot, snapshot.devices.at(0));
  Played played{playback.held_at_first(), {}, playback.was_stopped()};
  playback.begin(played.sums);
  while (playback.has_next()) playback.next(played.sums);
  playback.end(played.sums);
  return played;
}

std::vector<Entry> freed(std::uint64_t address, std::uint64_t bytes) {
  return {{.action = "free_requested", .address = address, .bytes = bytes},
          {.action = "free_completed", .address = address, .bytes = bytes}};
}

std::vector<Entry> joined(std::initializer_list<std::vector<Entry>> parts) {
  std::vector<Entry> all;
  for (const auto& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

TEST(History, OfTheWholeProgramBeginsWithNothing) {
  const Played played =
      play({.trace = joined({{{.action = "segment_alloc", .address = kBase, .bytes = 20 * kMiB},
                              {.action = "alloc", .address = kBase, .bytes = 4 * kMiB}},
                             freed(kBase, 4 * kMiB),
                             {{.action = "alloc", .address = kBase, .bytes = 2 * kMiB}}}),
            .segments = {{kBase, 20 * kMiB, {{kBase, 2 * kMiB, 2 * kMiB}}}}});
  EXPECT_EQ(played.first.blocks, 0u);
  EXPECT_EQ(played.first.reserved_bytes, 0u);
  EXPECT_EQ(played.sums.peak, 4 * kMiB);
  EXPECT_EQ(played.sums.allocated, 2 * kMiB);
  EXPECT_EQ(played.sums.reserved, 20 * kMiB);
  EXPECT_FALSE(played.was_stopped);
}

TEST(History, OfARingThatWrappedBeginsWithWhatItFreesAndWhatIsLeft) {
  // Its first entries are missing: one block is freed in it, one lives to the end.
  const Played played = play(
      {.trace = joined({freed(kBase, 4 * kMiB - 100),
                        {{.action = "alloc", .address = kBase + 8 * kMiB, .bytes = kMiB * 2}}}),
       .segments = {{kBase,
                     20 * kMiB,
                     {{kBase + 4 * kMiB, 4 * kMiB, 4 * kMiB - 5}, {kBase + 8 * kMiB, 2 * kMiB, 2 * kMiB}}}}});
  EXPECT_EQ(played.first.blocks, 2u);
  EXPECT_EQ(played.first.allocated_bytes, 8 * kMiB);
  EXPECT_EQ(played.first.reserved_bytes, 20 * kMiB);
  EXPECT_EQ(played.sums.peak, 8 * kMiB);
  EXPECT_EQ(played.sums.allocated, 6 * kMiB);
}

TEST(History, BetweenAFreeAndItsCompletion) {
  const Played played = play({.trace = {{.action = "free_completed", .address = kBase, .bytes = 2 * kMiB}},
                              .segments = {{kBase, 20 * kMiB, {}}}});
  EXPECT_EQ(played.first.blocks, 0u);
  EXPECT_EQ(played.sums.deferred, 1u);
  EXPECT_EQ(played.sums.allocated, 0u);
}

TEST(History, ABlockThatAnotherStreamUsesStaysDeferred) {
  const Played played = play({.trace = {{.action = "segment_alloc", .address = kBase, .bytes = 20 * kMiB},
                                        {.action = "alloc", .address = kBase, .bytes = 2 * kMiB},
                                        {.action = "free_requested", .address = kBase, .bytes = 2 * kMiB},
                                        {.action = "alloc", .address = kBase + 2 * kMiB, .bytes = 2 * kMiB}},
                              .segments = {{kBase,
                                            20 * kMiB,
                                            {{kBase, 2 * kMiB, 2 * kMiB, "active_pending_free"},
                                             {kBase + 2 * kMiB, 2 * kMiB, 2 * kMiB}}}}});
  EXPECT_EQ(played.first.blocks, 0u);
  EXPECT_EQ(played.sums.deferred, 1u);
  EXPECT_EQ(played.sums.allocated, 2 * kMiB);
}

TEST(History, ALargeBlockTakesARestOfUpToOneMebibyte) {
  // 19.5 MiB of a segment of 20 MiB: the allocator does not split off half a mebibyte.
  const Played played =
      play({.trace = joined({{{.action = "segment_alloc", .address = kBase, .bytes = 20 * kMiB},
                              {.action = "alloc", .address = kBase, .bytes = 19 * kMiB + kMiB / 2}},
                             freed(kBase, 19 * kMiB + kMiB / 2)}),
            .segments = {{kBase, 20 * kMiB, {}}}});
  EXPECT_EQ(played.sums.peak, 20 * kMiB);
}

TEST(History, SwitchedOffBeforeTheSnapshotEndsWithOneChange) {
  // The history's block was freed later, and another was allocated at its address.
  const Played played = play(
      {.trace = {{.action = "segment_alloc", .address = kBase, .bytes = 20 * kMiB},
                 {.action = "alloc", .address = kBase, .bytes = 4 * kMiB}},
       .segments = {{kBase, 20 * kMiB, {{kBase, 6 * kMiB, 6 * kMiB}}}, {kBase + 64 * kMiB, 20 * kMiB, {}}}});
  EXPECT_TRUE(played.was_stopped);
  EXPECT_EQ(played.first.blocks, 0u);
  EXPECT_EQ(played.sums.peak, 6 * kMiB);
  EXPECT_EQ(played.sums.allocated, 6 * kMiB);
  EXPECT_EQ(played.sums.reserved, 40 * kMiB);
}

TEST(History, EntriesAfterTheSnapshotDoNotCount) {
  const Device device{.trace = {{.action = "segment_alloc", .address = kBase, .bytes = 20 * kMiB},
                                {.action = "alloc", .address = kBase, .bytes = 4 * kMiB},
                                {.action = "snapshot"},
                                {.action = "alloc", .address = kBase + 4 * kMiB, .bytes = 4 * kMiB}},
                      .segments = {{kBase, 20 * kMiB, {{kBase, 4 * kMiB, 4 * kMiB}}}}};
  EXPECT_EQ(play(device).sums.allocated, 4 * kMiB);
  EXPECT_FALSE(play(device).was_stopped);
}

TEST(History, EntriesAfterAnEarlierSnapshotCount) {
  const Device device{.trace = {{.action = "segment_alloc", .address = kBase, .bytes = 20 * kMiB},
                                {.action = "snapshot"},
                                {.action = "alloc", .address = kBase, .bytes = 4 * kMiB}},
                      .segments = {{kBase, 20 * kMiB, {{kBase, 4 * kMiB, 4 * kMiB}}}}};
  EXPECT_EQ(play(device).sums.allocated, 4 * kMiB);
  EXPECT_FALSE(play(device).was_stopped);
}

TEST(History, OfExpandableSegmentsMapsAndUnmapsParts) {
  const Played played =
      play({.trace = joined({{{.action = "segment_map", .address = kBase + 20 * kMiB, .bytes = 20 * kMiB},
                              {.action = "alloc", .address = kBase + 10 * kMiB, .bytes = 15 * kMiB}},
                             freed(kBase + 10 * kMiB, 15 * kMiB),
                             {{.action = "segment_unmap", .address = kBase, .bytes = 10 * kMiB}}}),
            .segments = {{kBase + 10 * kMiB, 30 * kMiB, {}, true}}});
  EXPECT_EQ(played.first.reserved_bytes, 20 * kMiB);
  EXPECT_EQ(played.sums.reserved, 30 * kMiB);
  EXPECT_EQ(played.sums.peak, 15 * kMiB);
}

TEST(History, WithoutRequestedFreesCountsTheCompletedOnes) {
  const Played played = play({.trace = {{.action = "segment_alloc", .address = kBase, .bytes = 20 * kMiB},
                                        {.action = "alloc", .address = kBase, .bytes = 4 * kMiB},
                                        {.action = "free_completed", .address = kBase, .bytes = 4 * kMiB}},
                              .segments = {{kBase, 20 * kMiB, {}}}});
  EXPECT_EQ(played.first.blocks, 0u);
  EXPECT_EQ(played.sums.peak, 4 * kMiB);
  EXPECT_EQ(played.sums.allocated, 0u);
}

TEST(History, MissingAltogetherLeavesTheSnapshotsMoment) {
  const Played played = play({.segments = {{kBase, 20 * kMiB, {{kBase, 4 * kMiB, 4 * kMiB}}}}});
  EXPECT_EQ(played.first.blocks, 1u);
  EXPECT_EQ(played.sums.allocated, 4 * kMiB);
  EXPECT_EQ(played.sums.reserved, 20 * kMiB);
}

}  // namespace
}  // namespace strata::snapshot
