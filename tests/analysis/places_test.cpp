// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/allocator/places.hpp"

#include <gtest/gtest.h>

#include <map>
#include <numeric>
#include <random>

#include "host/analysis/allocator/caching_allocator.hpp"
#include "host/analysis/analyse.hpp"
#include "strata/ext/memory.h"

namespace strata::analysis {
namespace {

constexpr std::uint64_t kMebibyte = std::uint64_t{1} << 20;

// A CUDA device's recording, written event by event.
class PlacedRun {
 public:
  PlacedRun() { run_.device = {STRATA_DEVICE_CUDA, 0}; }

  std::uint64_t happens(std::uint32_t action, const Place& place, std::uint64_t address,
                        std::uint64_t bytes) {
    MemoryRow row;
    row.sequence = ++sequence_;
    row.action = action;
    row.device = run_.device;
    row.address = address;
    row.bytes = bytes;
    row.stream = place.stream;
    row.pool = place.pool;
    events_.push_back(row);
    return sequence_;
  }

  Recording read() const {
    Recording run = run_;
    run.reserved = reserved_points(events_);
    for (const MemoryRow& row : events_) {
      if (row.action == STRATA_MEMORY_ALLOCATE || row.action == STRATA_MEMORY_FREE) run.memory.push_back(row);
    }
    return run;
  }

 private:
  Recording run_;
  std::vector<MemoryRow> events_;
  std::uint64_t sequence_ = 0;
};

TEST(Places, TellWhatAnotherStreamKeepsForItself) {
  const Place ours{}, other{0xabc, 0}, graph{0xabc, std::uint64_t{1} << 32};
  PlacedRun run;
  run.happens(STRATA_MEMORY_SEGMENT_ALLOCATE, other, 0x1000, 60 * kMebibyte);
  run.happens(STRATA_MEMORY_ALLOCATE, other, 0x1000, 40 * kMebibyte);
  run.happens(STRATA_MEMORY_FREE, other, 0x1000, 40 * kMebibyte);
  run.happens(STRATA_MEMORY_SEGMENT_ALLOCATE, graph, 0x9000000, 20 * kMebibyte);
  run.happens(STRATA_MEMORY_ALLOCATE, graph, 0x9000000, 5 * kMebibyte);
  run.happens(STRATA_MEMORY_SEGMENT_ALLOCATE, ours, 0x90000000, 100 * kMebibyte);
  const std::uint64_t peak = run.happens(STRATA_MEMORY_ALLOCATE, ours, 0x90000000, 99 * kMebibyte);
  run.happens(STRATA_MEMORY_FREE, ours, 0x90000000, 0);
  const std::vector<PlaceShare> places = places_at(analyse(run.read()), peak);
  ASSERT_EQ(places.size(), 3u);
  EXPECT_EQ(places[0].place, ours);
  EXPECT_EQ(places[0].allocated_bytes, 99 * kMebibyte);
  EXPECT_EQ(places[1].place, other);
  EXPECT_EQ(places[1].reserved_bytes, 60 * kMebibyte);
  EXPECT_EQ(places[1].blocks, 0u);
  EXPECT_EQ(places[2].place, graph);
  EXPECT_EQ(free_elsewhere(places), 75 * kMebibyte);
}

TEST(Places, SayThatWhatIsReservedIsUnknownWhereSegmentsAreNotTold) {
  PlacedRun run;
  run.happens(STRATA_MEMORY_RESERVED, {}, 0, 32 * kMebibyte);
  run.happens(STRATA_MEMORY_ALLOCATE, {1, 0}, 0x1000, 3 * kMebibyte);
  const std::uint64_t peak = run.happens(STRATA_MEMORY_ALLOCATE, {2, 0}, 0x2000000, 5 * kMebibyte);
  const std::vector<PlaceShare> places = places_at(analyse(run.read()), peak);
  ASSERT_EQ(places.size(), 2u);
  EXPECT_EQ(places[0].place.stream, 2u) << "the one with most in it";
  EXPECT_FALSE(places[0].reserved_bytes.has_value());
  EXPECT_EQ(free_elsewhere(places), std::nullopt);
}

TEST(Places, AreNoneOnTheCpu) {
  PlacedRun run;
  const std::uint64_t peak = run.happens(STRATA_MEMORY_ALLOCATE, {}, 0x1000, 3);
  Recording recording = run.read();
  recording.device = {STRATA_DEVICE_CPU, 0};
  EXPECT_TRUE(places_at(analyse(recording), peak).empty());
  EXPECT_EQ(free_elsewhere({}), 0u);
}

// Also for a store whose segments return larger than they were taken, or twice.
TEST(Places, NeverHoldLessThanNothing) {
  PlacedRun run;
  run.happens(STRATA_MEMORY_SEGMENT_FREE, {7, 0}, 0x1000, 9 * kMebibyte);
  const std::uint64_t peak = run.happens(STRATA_MEMORY_ALLOCATE, {7, 0}, 0x1000, kMebibyte);
  const std::vector<PlaceShare> places = places_at(analyse(run.read()), peak);
  ASSERT_EQ(places.size(), 1u);
  EXPECT_EQ(places[0].reserved_bytes, 0u);
  EXPECT_EQ(free_elsewhere({places[0], places[0]}), 0u);
}

// At every event of a random run the places add up to the total of the device.
TEST(Places, SumUpToTheDevice) {
  std::mt19937 random(3);
  PlacedRun run;
  std::map<std::uint64_t, std::pair<Place, std::uint64_t>> alive;
  std::map<std::uint64_t, std::pair<std::uint64_t, std::uint64_t>> totals;  // allocated, reserved
  std::uint64_t allocated = 0, reserved = 0, next = 0x1000;
  for (int event = 0; event < 300; ++event) {
    const Place place{random() % 3, random() % 2};
    if (alive.empty() || random() % 5 < 3) {
      const std::uint64_t bytes = (1 + random() % 9) * 512;
      run.happens(STRATA_MEMORY_SEGMENT_ALLOCATE, place, next, 2 * bytes);
      reserved += 2 * bytes;
      allocated += bytes;
      alive[next] = {place, bytes};
      totals[run.happens(STRATA_MEMORY_ALLOCATE, place, next, bytes)] = {allocated, reserved};
      next += 2 * bytes;
    } else {
      const auto block = alive.begin();
      allocated -= block->second.second;
      totals[run.happens(STRATA_MEMORY_FREE, block->second.first, block->first, 0)] = {allocated, reserved};
      alive.erase(block);
    }
  }
  const Facts facts = analyse(run.read());
  for (const auto& [sequence, total] : totals) {
    std::uint64_t allocated_sum = 0, reserved_sum = 0;
    for (const PlaceShare& share : places_at(facts, sequence)) {
      allocated_sum += share.allocated_bytes;
      reserved_sum += share.reserved_bytes.value();
    }
    ASSERT_EQ(allocated_sum, total.first) << sequence;
    ASSERT_EQ(reserved_sum, total.second) << sequence;
  }
}

}  // namespace
}  // namespace strata::analysis
