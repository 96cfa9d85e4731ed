// The listeners run under an allocator's lock: they may not allocate.
#include <gtest/gtest.h>

#include <memory>
#include <thread>
#include <vector>

#include "plugins/allocator_tracer/tables.hpp"
#include "strata/ext/graph.h"
#include "strata/ext/memory.h"
#include "strata/ext/op.h"
#include "tests/allocator_tracer/heap_count.hpp"
#include "tests/fake_host/fake_host.hpp"

namespace strata::test {
namespace {

TEST(HeapCount, SeesAnAllocation) {
  const std::uint64_t before = heap_allocations();
  const auto numbers = std::make_unique<std::vector<int>>(1000);
  EXPECT_EQ(heap_allocations() - before, 2u) << numbers->size();
}

TEST(HotPath, AllocatesNothingOnAnyThread) {
  constexpr std::uint64_t kEvents = 20'000;
  FakeHost host;
  host.load(ALLOCATOR_TRACER_FILE);
  const auto* const memory = host.listener<strata_memory_listener>(STRATA_EXT_MEMORY);
  const auto* const op = host.listener<strata_op_listener>(STRATA_EXT_OP);
  const auto* const graph = host.listener<strata_graph_listener>(STRATA_EXT_GRAPH);

  const auto send_events = [&](std::uint64_t& allocations) {
    const std::uint64_t before = heap_allocations();
    strata_when when{};
    when.struct_size = sizeof(when);
    strata_memory_event block{};
    strata_op_info info{};
    strata_graph_event saved{};
    for (std::uint64_t i = 0; i < kEvents; ++i) {
      when.sequence = i;
      memory->on_memory(host.self(), &when, &block);
      op->begin(host.self(), &when, &info);
      graph->on_graph(host.self(), &when, &saved);
    }
    allocations = heap_allocations() - before;
  };

  std::vector<std::uint64_t> allocations(4, UINT64_MAX);
  std::vector<std::thread> threads;
  for (std::uint64_t& count : allocations) threads.emplace_back(send_events, std::ref(count));
  for (std::thread& thread : threads) thread.join();

  EXPECT_EQ(allocations, std::vector<std::uint64_t>(4, 0));
  EXPECT_EQ(host.rows<allocator_tracer::EventRow>("event").size(), 4 * kEvents);
  EXPECT_EQ(host.rows<allocator_tracer::OpRow>("op").size(), 4 * kEvents);
  EXPECT_EQ(host.rows<allocator_tracer::SavedRow>("saved").size(), 4 * kEvents);
  host.destroy();
}

}  // namespace
}  // namespace strata::test
