// SPDX-License-Identifier: Apache-2.0
// Which events get a stack, and the resulting rows.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "plugins/allocator_tracer/stack_tables.hpp"
#include "strata/ext/memory.h"
#include "strata/ext/op.h"
#include "tests/allocator_tracer/heap_count.hpp"
#include "tests/fake_host/fake_host.hpp"

namespace strata::test {
namespace {

using allocator_tracer::EventStackRow;
using allocator_tracer::LibraryRow;
using allocator_tracer::StackFrameRow;

using Options = std::map<std::string, std::string>;

class StackEvents {
 public:
  explicit StackEvents(const Options& options) : host_(options) {
    host_.load(ALLOCATOR_TRACER_FILE);
    host_.begin_run();
  }
  ~StackEvents() { host_.destroy(); }
  StackEvents(const StackEvents&) = delete;
  StackEvents& operator=(const StackEvents&) = delete;

  [[gnu::noinline]] void send(std::uint32_t action, std::uint64_t bytes, std::uint64_t sequence) {
    strata_when when{};
    when.struct_size = sizeof(when);
    when.sequence = sequence;
    strata_memory_event event{};
    event.struct_size = sizeof(event);
    event.action = action;
    event.bytes = bytes;
    host_.listener<strata_memory_listener>(STRATA_EXT_MEMORY)->on_memory(host_.self(), &when, &event);
  }

  std::vector<EventStackRow> events() const { return host_.rows<EventStackRow>("event_stack"); }
  std::vector<StackFrameRow> frames() const { return host_.rows<StackFrameRow>("stack_frame"); }
  std::vector<LibraryRow> libraries() const { return host_.rows<LibraryRow>("library"); }
  FakeHost& host() { return host_; }

 private:
  FakeHost host_;
};

TEST(StackEvents, AreNotThereByDefault) {
  FakeHost host;
  host.load(ALLOCATOR_TRACER_FILE);
  EXPECT_ANY_THROW(host.table("event_stack"));
  host.destroy();
}

TEST(StackEvents, OfAllocationsFromASizeOn) {
  StackEvents tracer(Options{{"stacks_above_mib", "1"}});
  tracer.send(STRATA_MEMORY_ALLOCATE, 1 << 20, 1);
  tracer.send(STRATA_MEMORY_ALLOCATE, (1 << 20) - 1, 2);
  tracer.send(STRATA_MEMORY_FREE, 1 << 20, 3);
  tracer.send(STRATA_MEMORY_ALLOCATE, 3 << 20, 4);
  const std::vector<EventStackRow> events = tracer.events();
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0].sequence, 1u);
  EXPECT_EQ(events[1].sequence, 4u);
  EXPECT_EQ(events[0].chance, 1.0);
}

TEST(StackEvents, OfEveryAllocationThatFailed) {
  StackEvents tracer(Options{{"stacks_above_mib", "1000"}});
  tracer.send(STRATA_MEMORY_OUT_OF_MEMORY, 10, 9);
  ASSERT_EQ(tracer.events().size(), 1u);
  EXPECT_EQ(tracer.events()[0].sequence, 9u);
}

TEST(StackEvents, OfSomeByChance) {
  StackEvents tracer(Options{{"stacks_sample_mib", "1"}});
  for (std::uint64_t sequence = 0; sequence < 2000; ++sequence)
    tracer.send(STRATA_MEMORY_ALLOCATE, 100 << 10, sequence);
  const std::vector<EventStackRow> events = tracer.events();
  EXPECT_GT(events.size(), 100u);  // of 2000 * 0.093
  EXPECT_LT(events.size(), 300u);
  EXPECT_NEAR(events.front().chance, 0.093, 0.001);
}

[[gnu::noinline]] void send_from_elsewhere(StackEvents& tracer, std::uint64_t sequence) {
  tracer.send(STRATA_MEMORY_ALLOCATE, 1, sequence);
  asm volatile("" ::: "memory");
}

TEST(StackEvents, WriteAStackOnce) {
  StackEvents tracer(Options{{"stacks_above_mib", "0"}});
  for (std::uint64_t sequence = 0; sequence < 100; ++sequence)
    tracer.send(STRATA_MEMORY_ALLOCATE, 1, sequence);
  send_from_elsewhere(tracer, 100);

  const std::vector<EventStackRow> events = tracer.events();
  ASSERT_EQ(events.size(), 101u);
  EXPECT_EQ(events[0].stack, events[99].stack);
  EXPECT_NE(events[0].stack, events[100].stack);
  std::map<std::uint64_t, std::vector<std::uint64_t>> stacks;
  for (const StackFrameRow& frame : tracer.frames()) {
    EXPECT_EQ(frame.position, stacks[frame.stack].size());
    stacks[frame.stack].push_back(frame.address);
  }
  ASSERT_EQ(stacks.size(), 2u);
  EXPECT_EQ(stacks[events[100].stack].size(), stacks[events[0].stack].size() + 1);
}

TEST(StackEvents, KeepSoManyFrames) {
  StackEvents tracer(Options{{"stacks_above_mib", "0"}, {"stack_frames", "8"}});
  tracer.send(STRATA_MEMORY_ALLOCATE, 1, 1);
  EXPECT_EQ(tracer.frames().size(), 8u);
}

TEST(StackEvents, LieInLibrariesThatAreWritten) {
  StackEvents tracer(Options{{"stacks_above_mib", "0"}});
  tracer.send(STRATA_MEMORY_ALLOCATE, 1, 1);
  const std::vector<LibraryRow> libraries = tracer.libraries();
  for (const StackFrameRow& frame : tracer.frames()) {
    EXPECT_TRUE(std::any_of(libraries.begin(), libraries.end(), [&](const LibraryRow& library) {
      return library.begin_address <= frame.address && frame.address < library.end_address;
    })) << frame.position;
  }
}

TEST(StackEvents, AllocateNothingOnAnyThread) {
  StackEvents tracer(Options{{"stacks_above_mib", "0"}});
  std::vector<std::uint64_t> allocations(4, UINT64_MAX);
  std::vector<std::thread> threads;
  for (std::uint64_t& count : allocations) {
    threads.emplace_back([&] {
      const std::uint64_t before = heap_allocations();
      for (std::uint64_t sequence = 0; sequence < 5000; ++sequence)
        tracer.send(STRATA_MEMORY_ALLOCATE, 1, sequence);
      count = heap_allocations() - before;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(allocations, std::vector<std::uint64_t>(4, 0));
  EXPECT_EQ(tracer.events().size(), 20'000u);
  std::set<std::pair<std::uint64_t, std::uint32_t>> frames;
  for (const StackFrameRow& frame : tracer.frames())
    EXPECT_TRUE(frames.insert({frame.stack, frame.position}).second) << "written by two threads";
}

}  // namespace
}  // namespace strata::test
