// SPDX-License-Identifier: Apache-2.0
// The one thread that moves rows from the spools into SQLite, at low priority, in batches: 64 k rows or 200
// ms, sooner when a spool is half full. A spool's room is given back only when its rows are committed.
#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

#include "host/runtime/definition_log.hpp"
#include "host/runtime/problem_list.hpp"
#include "host/runtime/spool_pool.hpp"
#include "host/runtime/store_database.hpp"

namespace strata {

class StoreWriter {
 public:
  // All live longer than the writer. The database is the writer's until `finish` returns.
  StoreWriter(StoreDatabase& database, SpoolPool& pool, DefinitionLog& definitions, ProblemList& problems);
  ~StoreWriter();
  StoreWriter(const StoreWriter&) = delete;
  StoreWriter& operator=(const StoreWriter&) = delete;

  // [any] [alloc-lock] Asks for a batch now.
  void wake() noexcept;

  // [any] True while SQLite has refused rows for so long (a full disk) that nobody should wait for room.
  bool is_stalled() const noexcept { return stalled_.load(std::memory_order_relaxed); }

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

  void run();
  void wait();
  void work() noexcept;
  bool drain_batch();
  Batch look();
  // A function of its own, in which callgrind counts what rows cost (bench/store_write_cost.py).
  [[gnu::noinline]] bool write(const Batch& batch);

  StoreDatabase& database_;
  SpoolPool& pool_;
  DefinitionLog& definitions_;
  ProblemList& problems_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::atomic<bool> wanted_ = false;
  std::atomic<bool> finishing_ = false;
  std::atomic<bool> stalled_ = false;

  // The thread's own.
  std::uint64_t definitions_drained_ = 0;
  std::size_t first_spool_ = 0;        // where the next batch begins, so that every spool has its turn
  std::int64_t failing_since_ns_ = 0;  // 0: the last batch was committed

  std::thread thread_;
};

}  // namespace strata
