// SPDX-License-Identifier: Apache-2.0
// The listeners run under an allocator's lock, so they must not allocate.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "host/runtime/events/thread_state.hpp"
#include "plugins/allocator_tracer/tables.hpp"
#include "strata/ext/graph.h"
#include "strata/ext/memory.h"
#include "strata/ext/op.h"
#include "strata/runtime/session.hpp"
#include "tests/allocator_tracer/heap_count.hpp"
#include "tests/fake_host/fake_host.hpp"
#include "tests/runtime/plugins/recording_sink.hpp"
#include "tests/runtime/run_folder.hpp"

namespace strata::test {
namespace {

TEST(HeapCount, SeesAnAllocation) {
  const std::uint64_t before = heap_allocations();
  const auto numbers = std::make_unique<std::vector<int>>(1000);
  EXPECT_EQ(heap_allocations() - before, 2u) << numbers->size();
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST(HeapCount, SeesMalloc) {
  const std::uint64_t before = heap_allocations();
  void* volatile memory = std::malloc(100);
  EXPECT_EQ(heap_allocations() - before, 1u);
  std::free(memory);
}
#endif

TEST(HotPath, AllocatesNothingOnAnyThread) {
  constexpr std::uint64_t kEvents = 20'000;
  FakeHost host;
  host.load(ALLOCATOR_TRACER_FILE);
  const auto* const memory = host.listener<strata_memory_listener>(STRATA_EXT_MEMORY);
  const auto* const op = host.listener<strata_op_listener>(STRATA_EXT_OP);
  const auto* const graph = host.listener<strata_graph_listener>(STRATA_EXT_GRAPH);

  const auto send_events = [&](std::uint64_t events) {
    strata_when when{};
    when.struct_size = sizeof(when);
    strata_memory_event block{};
    strata_op_info info{};
    strata_graph_event saved{};
    for (std::uint64_t i = 1; i <= events; ++i) {
      when.sequence = info.ordinal = i;
      when.op = STRATA_NONE;
      op->begin(host.self(), &when, &info);
      when.op = info.ordinal;
      memory->on_memory(host.self(), &when, &block);
      graph->on_graph(host.self(), &when, &saved);
    }
  };

  std::vector<std::uint64_t> allocations(4, UINT64_MAX);
  std::vector<std::thread> threads;
  for (std::uint64_t& count : allocations) {
    threads.emplace_back([&] {
      send_events(1);  // a thread's first operator allocates the list of open ones
      const std::uint64_t before = heap_allocations();
      send_events(kEvents);
      count = heap_allocations() - before;
    });
  }
  for (std::thread& thread : threads) thread.join();

  EXPECT_EQ(allocations, std::vector<std::uint64_t>(4, 0));
  EXPECT_EQ(host.rows<allocator_tracer::EventRow>("event").size(), 4 * (kEvents + 1));
  EXPECT_EQ(host.rows<allocator_tracer::OpRow>("op").size(), 4 * (kEvents + 1));
  EXPECT_EQ(host.rows<allocator_tracer::SavedTensorRow>("saved").size(), 4 * (kEvents + 1));
  host.destroy();
}

// The same through a real session: the host must not allocate for an event either.
TEST(HotPath, AllocatesNothingInTheHost) {
  constexpr std::uint64_t kEvents = 20'000;
  const TemporaryFolder folder;
  RecordingSink sink;
  SessionOptions options;
  options.directory = folder.path();
  options.plugin_path = {STRATA_TEST_PLUGINS};
  options.plugins = {{ALLOCATOR_TRACER_FILE, {}, ""}};
  options.sources = {
      {"emitter", {{"sink", std::to_string(reinterpret_cast<std::uintptr_t>(&sink)), ""}}, ""}};
  options.strict = true;
  Session session(options);
  session.begin_run();

  const auto send_events = [&sink](std::uint64_t events) {
    strata_memory_event block{};
    block.struct_size = sizeof(block);
    strata_op_info info{};
    info.struct_size = sizeof(info);
    strata_graph_event saved{};
    saved.struct_size = sizeof(saved);
    for (std::uint64_t i = 0; i < events; ++i) {
      const std::uint64_t op = sink.emit->op_begin(sink.source_host, &info);
      sink.emit->memory(sink.source_host, &block);
      sink.emit->graph(sink.source_host, &saved);
      sink.emit->op_end(sink.source_host, op);
    }
  };
  std::vector<std::uint64_t> allocations(4, UINT64_MAX);
  std::vector<std::thread> threads;
  for (std::uint64_t& count : allocations) {
    threads.emplace_back([&] {
      send_events(1);  // a thread's first row takes a spool
      const std::uint64_t before = heap_allocations();
      send_events(kEvents);
      count = heap_allocations() - before;
    });
  }
  for (std::thread& thread : threads) thread.join();
  session.end_run(RunEnd::kDone);

  EXPECT_EQ(allocations, std::vector<std::uint64_t>(4, 0));
  const std::filesystem::path store = folder.path() / "rank0" / (std::to_string(getpid()) + ".sqlite");
  for (const char* table : {"allocator_tracer_event", "allocator_tracer_op", "allocator_tracer_saved"}) {
    EXPECT_EQ(query_integer(store, std::string("SELECT count(*) FROM ") + table), 4 * (kEvents + 1));
  }
}

int mapped_states() {
  int states = 0;
  for (const ThreadState* state = all_threads(); state != nullptr; state = state->next) ++states;
  return states;
}

// A sanitizer also keeps data of ended threads.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kKeepsWhatIsFreed = true;
#else
constexpr bool kKeepsWhatIsFreed = false;
#endif

std::uint64_t resident_bytes() {
  std::uint64_t pages = 0, resident_pages = 0;
  std::ifstream("/proc/self/statm") >> pages >> resident_pages;
  return resident_pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

// Each thread starts, records an operator and a block, and ends: only its rows remain.
TEST(HotPath, TenThousandThreadsLeaveTheirRowsAndNothingElse) {
  constexpr int kThreads = 10'000, kAtOnce = 4;
  const TemporaryFolder folder;
  RecordingSink sink;
  SessionOptions options;
  options.directory = folder.path();
  options.plugin_path = {STRATA_TEST_PLUGINS};
  options.plugins = {{ALLOCATOR_TRACER_FILE, {}, ""}};
  options.sources = {
      {"emitter", {{"sink", std::to_string(reinterpret_cast<std::uintptr_t>(&sink)), ""}}, ""}};
  options.strict = true;
  Session session(options);
  session.begin_run();
  const auto come_and_go = [&](int count) {
    for (int thread = 0; thread < count; thread += kAtOnce) {
      std::vector<std::thread> threads;
      for (int one = 0; one < kAtOnce; ++one) {
        threads.emplace_back([&sink] {
          strata_memory_event block{};
          block.struct_size = sizeof(block);
          strata_op_info info{};
          info.struct_size = sizeof(info);
          const std::uint64_t op = sink.emit->op_begin(sink.source_host, &info);
          sink.emit->memory(sink.source_host, &block);
          sink.emit->op_end(sink.source_host, op);
        });
      }
      for (std::thread& one : threads) one.join();
    }
  };
  come_and_go(kThreads / 10);
  const int states = mapped_states();
  ASSERT_GT(states, 0);
  const std::uint64_t bytes = resident_bytes();
  come_and_go(kThreads - kThreads / 10);
  const std::uint64_t more_bytes = resident_bytes();
  EXPECT_LE(mapped_states(), states + 8) << "threads take what ended ones left";
  // The rings of the few spools, which fill gradually, are 4 MiB each.
  if (!kKeepsWhatIsFreed) {
    EXPECT_LT(more_bytes, bytes + (48u << 20));
  }
  session.end_run(RunEnd::kDone);
  const std::filesystem::path store = folder.path() / "rank0" / (std::to_string(getpid()) + ".sqlite");
  EXPECT_EQ(query(store, "PRAGMA integrity_check"), std::vector<std::string>{"ok"});
  for (const char* table : {"allocator_tracer_event", "allocator_tracer_op"})
    EXPECT_EQ(query_integer(store, std::string("SELECT count(*) FROM ") + table), kThreads);
  EXPECT_EQ(session.lost(), "");
}

}  // namespace
}  // namespace strata::test
