// SPDX-License-Identifier: Apache-2.0
// Keeps a run store's file within its maximum size. As it nears that size, detail of the oldest steps is
// deleted, except what later steps need and the steps of the highest peaks so far (docs/run-store.md, "A
// store with a largest size"). The writer's thread calls it between batches, within a transaction.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <vector>

#include "host/runtime/store/block_ledger.hpp"
#include "host/runtime/store/step_rows.hpp"
#include "host/runtime/store/thinned_steps.hpp"

namespace strata {

// Every function throws SqliteError. After one the object must not be used: it may be ahead of the file.
class StoreThinner {
 public:
  explicit StoreThinner(SqliteConnection& connection);

  // Call before the table has rows.
  void add_table(const Table& table) { rows_.add_table(table); }

  // All rows appended before the previous call are in the file.
  void end_round();

  // Size of the file without its free pages.
  std::uint64_t used_bytes();

  // Deletes until the file uses at most `wanted_bytes`, nothing is left to delete, or `deadline` has passed.
  // Thinned steps themselves are deleted if they take a large share, or if the file uses more than
  // `most_bytes`. Returns false if nothing is left.
  bool work(std::uint64_t wanted_bytes, std::uint64_t most_bytes, std::uint64_t most_rows,
            std::chrono::steady_clock::time_point deadline);

 private:
  struct Zone {
    StepBegin begin;
    std::vector<LedgerPeak> peaks;
    bool is_thinned = false;
    std::uint64_t marks = 0;  // on data that stay although the step is thinned
    std::vector<std::int64_t> ops, module_begins, module_ends;  // that these marks need
    std::vector<std::int64_t> ops_before;  // of the previous step, which made nodes that ran in this one
  };
  struct CarriedOp {
    std::int64_t rowid = 0;
    std::uint64_t parent = 0;
    StepZone zone = 0;
  };

  void discover();
  bool advance();
  void add_setup();
  void protect(StepZone zone, const Zone& step);
  void thin(StepZone zone);
  void remove(const LedgerRemoval& removal);
  void drop_mark(const LedgerMark& mark);
  void forget(StepZone zone);
  void erase_ops(StepZone zone, Zone& step, const StepInterval& interval, std::vector<std::uint64_t> needed,
                 std::set<std::uint32_t>& modules);
  void erase_modules(Zone& step, const StepInterval& interval, std::set<std::uint32_t> modules);
  void carry(StepZone zone, const std::vector<OpLink>& ops, const std::vector<OpLink>& next);
  bool fold();
  void fold_step(StepZone zone);
  std::optional<StepInterval> interval_of(StepZone zone);
  std::set<StepZone> whole() const;

  StepRows rows_;
  ThinnedSteps thinned_;
  SqliteStatement used_pages_;
  std::uint64_t page_bytes_ = 4096;
  BlockLedger ledger_;
  std::map<StepZone, Zone> zones_;  // not thinned yet, or thinned with data left
  std::map<LedgerDevice, std::pair<std::uint64_t, StepZone>> highest_;  // in the window, with its step
  std::set<StepZone> failed_;                                           // steps in which an allocation failed
  std::unordered_map<std::uint64_t, CarriedOp> carried_;  // ranges that stay open after their step
  StepZone discovered_ = 0, added_ = 0, thinned_to_ = 0, folded_to_ = 0;
  std::set<StepZone> passed_, again_;    // not folded because of nearby births; those whose birth is gone
  StepZone ready_ = 0, next_ready_ = 0;  // steps with all rows in the file
  bool has_setup_ = false;
  std::uint64_t structure_rows_ = 0;  // of thinned steps
};

}  // namespace strata
