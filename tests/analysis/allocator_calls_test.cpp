// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/allocator/allocator_calls.hpp"
#include "host/analysis/recording/recording.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "strata/ext/memory.h"

namespace strata::analysis {
namespace {

using Kind = AllocatorCallKind;
using Kinds = std::vector<Kind>;

// Events of one device, with a running total as the allocator keeps it.
class Events {
 public:
  Events& add(std::uint32_t action, std::uint64_t address, std::uint64_t bytes) {
    run_.allocator_events.push_back({.sequence = run_.allocator_events.size() + 1,
                                     .ns = 0,
                                     .thread = 1,
                                     .action = action,
                                     .device = {.type = STRATA_DEVICE_CUDA, .index = 0},
                                     .address = address,
                                     .bytes = bytes,
                                     .handed_out_bytes = handed_out_,
                                     .op = 0,
                                     .phase = 0,
                                     .module = 0,
                                     .stream = 7,
                                     .pool = 0});
    if (action == STRATA_MEMORY_ALLOCATE) handed_out_ += (bytes + 511) / 512 * 512;
    return *this;
  }
  Events& allocate(std::uint64_t address, std::uint64_t bytes) {
    return add(STRATA_MEMORY_ALLOCATE, address, bytes);
  }
  Events& free(std::uint64_t address) { return add(STRATA_MEMORY_FREE, address, 0); }
  Events& take(std::uint64_t bytes) { return add(STRATA_MEMORY_SEGMENT_ALLOCATE, 0x10000, bytes); }
  Events& give(std::uint64_t bytes) { return add(STRATA_MEMORY_SEGMENT_FREE, 0x10000, bytes); }

  AllocatorCalls calls() const { return allocator_calls(run_); }
  Kinds kinds() const {
    Kinds kinds;
    for (const AllocatorCall& call : calls().calls) kinds.push_back(call.kind);
    return kinds;
  }

 private:
  Recording run_;
  std::uint64_t handed_out_ = 512;
};

TEST(AllocatorCalls, CarryWhatWasAskedForAndTheSumsThatWereRecorded) {
  const AllocatorCalls found =
      Events().take(4096).allocate(0x1000, 700).allocate(0x2000, 512).free(0x1000).calls();
  ASSERT_EQ(found.calls.size(), 3U);
  EXPECT_EQ(found.calls[0].bytes, 700U);
  EXPECT_EQ(found.calls[0].stream, 7U);
  EXPECT_EQ(found.calls[0].allocated_bytes, 1024U);
  EXPECT_EQ(found.calls[0].reserved_bytes, 4096U);
  EXPECT_EQ(found.calls[2].allocated_bytes, 512U);
  EXPECT_EQ(found.peak_allocated_bytes, 1536U);
  EXPECT_EQ(found.peak_reserved_bytes, 4096U);
  EXPECT_EQ(found.known, 3U);
}

TEST(AllocatorCalls, DoNotTellWhatTheLastAllocationTook) {
  EXPECT_EQ(Events().allocate(0x1000, 700).allocate(0x2000, 512).calls().known, 1U);
}

TEST(AllocatorCalls, LeaveOutFreesOfWhatWasNeverAllocated) {
  EXPECT_EQ(Events().free(0x9000).allocate(0x1000, 1).kinds(), Kinds{Kind::kAllocate});
}

TEST(AllocatorCalls, TellAFreeThatWaitedFromOneThatDidNot) {
  EXPECT_EQ(Events()
                .allocate(0x1000, 1)
                .allocate(0x2000, 1)
                .free(0x1000)
                .free(0x2000)
                .add(STRATA_MEMORY_FREE_DEFERRED, 0x2000, 0)
                .add(STRATA_MEMORY_FREE_COMPLETED, 0x2000, 0)
                .add(STRATA_MEMORY_FREE_COMPLETED, 0x3000, 0)
                .kinds(),
            (Kinds{Kind::kAllocate, Kind::kAllocate, Kind::kFree, Kind::kFreeLater, Kind::kFreeNow}));
}

// The allocator returns segments during an allocation only if it also takes one.
TEST(AllocatorCalls, KnowThatTheProgramEmptiedTheCache) {
  EXPECT_EQ(Events().allocate(0x1000, 1).give(512).free(0x1000).give(512).kinds(),
            (Kinds{Kind::kAllocate, Kind::kEmptyCache, Kind::kFree, Kind::kEmptyCache}));
  EXPECT_EQ(Events().give(512).allocate(0x1000, 1).kinds(), (Kinds{Kind::kEmptyCache, Kind::kAllocate}));
}

TEST(AllocatorCalls, SayWhereTheProgramOrTheAllocatorMayHaveEmptiedIt) {
  const Events events = Events()
                            .allocate(0x1000, 1)
                            .free(0x1000)
                            .add(STRATA_MEMORY_FREE_DEFERRED, 0x1000, 0)
                            .add(STRATA_MEMORY_FREE_COMPLETED, 0x1000, 0)
                            .give(2048)
                            .take(4096)
                            .allocate(0x2000, 1);
  EXPECT_EQ(events.kinds(),
            (Kinds{Kind::kAllocate, Kind::kFreeLater, Kind::kMaybeEmpty, Kind::kFreeNow, Kind::kAllocate}));
  EXPECT_EQ(events.calls().calls[2].bytes, 2048U);
  EXPECT_EQ(Events().give(512).add(STRATA_MEMORY_OUT_OF_MEMORY, 0, 1 << 20).kinds(),
            (Kinds{Kind::kMaybeEmpty, Kind::kRunOutAgain}));
}

}  // namespace
}  // namespace strata::analysis
