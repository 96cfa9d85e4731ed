// SPDX-License-Identifier: Apache-2.0
// The thread that moves rows from the spools into SQLite, at low priority, in batches: every 64 k rows or 200
// ms, or sooner when a spool is half full. A spool's space is released only when its rows are committed. In a
// store with a maximum size it thins the oldest steps between batches.
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
#include "host/runtime/store/definition_log.hpp"
#include "host/runtime/store/spool_pool.hpp"
#include "host/runtime/store/store_database.hpp"
#include "host/runtime/store/store_size.hpp"

namespace strata {

class WriterThread {
 public:
  // All outlive the writer. The database belongs to the writer until `finish` returns. `maximum_bytes` is the
  // maximum size of the store on disk; 0: unlimited.
  WriterThread(StoreDatabase& database, SpoolPool& pool, DefinitionLog& definitions, ProblemList& problems,
               const StoreSize& size);
  ~WriterThread();
  WriterThread(const WriterThread&) = delete;
  WriterThread& operator=(const WriterThread&) = delete;

  // [any] [alloc-lock] Requests a batch now.
  void wake() noexcept;

  // [any] True if SQLite has refused rows for so long (a full disk) that appends should not wait for space.
  bool is_stalled() const noexcept { return stalled_.load(std::memory_order_relaxed); }

  // [any] From now on the thread calls `work` about once a second, between batches, and finish() calls it
  // once more. `work` must not throw.
  void each_second(std::function<void()> work);
  // [any] Rows for which the store had no space.
  std::uint64_t dropped_rows() const noexcept { return dropped_rows_.load(std::memory_order_relaxed); }

  // Ends the thread and drains everything. No rows may be appended any more. Returns false if SQLite refused
  // to the end and rows are left in the spools. Call once.
  bool finish();

 private:
  // The data to move: complete records, and the definitions that they refer to.
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

  // Spools, each with the position up to which to drain it.
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
  // A separate function, in which callgrind counts the cost of rows (bench/store_write_cost.py).
  [[gnu::noinline]] bool write(const Batch& batch);

  StoreDatabase& database_;
  SpoolPool& pool_;
  DefinitionLog& definitions_;
  ProblemList& problems_;
  const StoreSize size_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::function<void()> each_second_;  // guarded by the mutex
  std::atomic<bool> wanted_ = false;
  std::atomic<bool> finishing_ = false;
  std::atomic<bool> stalled_ = false;

  // Used only by the thread.
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
