// SPDX-License-Identifier: Apache-2.0
// The one thread that moves rows from the spools into SQLite, at low priority, in batches: 64 k rows or 200
// ms, sooner when a spool is half full. A spool's room is given back only when its rows are committed. Where
// the store has a largest size, it thins the oldest steps between batches.
#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "host/runtime/problem_list.hpp"
#include "host/runtime/spool_pool.hpp"
#include "host/runtime/store/definition_log.hpp"
#include "host/runtime/store/store_database.hpp"
#include "host/runtime/store/store_size.hpp"

namespace strata {

class WriterThread {
 public:
  // All live longer than the writer. The database is the writer's until `finish` returns.
  // `maximum_bytes` is what the store may take on disk; 0: anything.
  WriterThread(StoreDatabase& database, SpoolPool& pool, DefinitionLog& definitions, ProblemList& problems,
               const StoreSize& size);
  ~WriterThread();
  WriterThread(const WriterThread&) = delete;
  WriterThread& operator=(const WriterThread&) = delete;

  // [any] [alloc-lock] Asks for a batch now.
  void wake() noexcept;

  // [any] True while SQLite has refused rows for so long (a full disk) that nobody should wait for room.
  bool is_stalled() const noexcept { return stalled_.load(std::memory_order_relaxed); }

  // [any] From now on the thread calls it about each second, between batches, and finish() once more. `work`
  // may not throw.
  void each_second(std::function<void()> work);
  // [any] Rows that the store had no room for.
  std::uint64_t dropped_rows() const noexcept { return dropped_rows_.load(std::memory_order_relaxed); }

  // Ends the thread and drains everything. Nothing may be appended any more. False: SQLite refused to the
  // end, and rows are left in the spools. To be called once.
  bool finish();

 private:
  // What there is to move: whole records, and the definitions that they refer to.
  struct Batch {
    struct Part {
      Spool* spool;
      std::uint64_t released;
      std::uint64_t written;
    };
    std::vector<Part> spools;
    DefinitionBatch definitions;

    bool is_empty() const {
      return definitions.definitions.empty() &&
             std::ranges::all_of(spools, [](const Part& part) { return part.released == part.written; });
    }
  };

  // Spools, each with the position up to which it is to be drained.
  struct Round {
    std::vector<std::pair<Spool*, std::uint64_t>> spools;
    bool is_over() const {
      return std::ranges::all_of(spools,
                                 [](const auto& part) { return part.first->released() >= part.second; });
    }
  };

  void run();
  void wait();
  // Whether a second had passed.
  bool do_each_second();
  bool drain_within_size();
  void make_room();
  void end_round();
  void work() noexcept;
  bool drain_batch();
  Batch look();
  void write_definitions(const DefinitionBatch& batch);
  // A function of its own, in which callgrind counts what rows cost (bench/store_write_cost.py).
  [[gnu::noinline]] bool write(const Batch& batch);

  StoreDatabase& database_;
  SpoolPool& pool_;
  DefinitionLog& definitions_;
  ProblemList& problems_;
  const StoreSize size_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::function<void()> each_second_;  // under the mutex
  std::atomic<bool> wanted_ = false;
  std::atomic<bool> finishing_ = false;
  std::atomic<bool> stalled_ = false;

  // The thread's own.
  std::uint64_t definitions_drained_ = 0;
  std::size_t first_spool_ = 0;        // where the next batch begins, so that every spool has its turn
  std::int64_t failing_since_ns_ = 0;  // 0: the last batch was committed
  std::int64_t second_began_ns_ = 0;
  Round round_;
  bool cannot_thin_ = false;
  std::atomic<std::uint64_t> dropped_rows_ = 0;

  std::thread thread_;
};

}  // namespace strata
