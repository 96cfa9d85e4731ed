// SPDX-License-Identifier: Apache-2.0
// The rows of one step that a store with a maximum size reads and deletes: the SQL behind named functions.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "host/runtime/store/block_ledger.hpp"
#include "host/runtime/store/sqlite.hpp"
#include "host/runtime/store/table.hpp"

namespace strata {

// From the begin of a step to the begin of the next, in sequence and in time.
struct StepInterval {
  std::uint64_t begin_sequence = 0, end_sequence = 0;
  std::int64_t begin_ns = 0, end_ns = 0;
};

struct StepBegin {
  StepZone zone = 0;
  std::uint64_t sequence = 0;
  std::int64_t ns = 0, step = 0;
  std::uint32_t schedule = 0;
};

struct OpLink {
  std::int64_t rowid = 0;
  std::uint64_t op = 0, parent = 0, forward_thread = 0;
  std::int64_t autograd_sequence = -1;
  std::uint32_t kind = 0, module = 0;
};

struct ModuleLink {
  std::int64_t begin_row = 0, end_row = 0;  // 0: not in the step
  std::uint32_t parent = 0;
};

// Everything throws SqliteError.
class StepRows {
 public:
  explicit StepRows(SqliteConnection& connection) : connection_(connection) {}

  // Makes rows of the table searchable by step. Call before it has any rows.
  void add_table(const Table& table);

  std::vector<StepBegin> steps_after(StepZone zone);
  std::optional<StepBegin> step(StepZone zone);
  // The first existing step after `zone`.
  std::optional<StepBegin> next_step(StepZone zone);
  LedgerRows ledger_rows(const StepInterval& step);
  std::vector<OpLink> ops(const StepInterval& step);
  std::unordered_map<std::uint32_t, ModuleLink> modules(const StepInterval& step);
  std::uint64_t count_structure(const StepInterval& step);  // of steps and phases

  void erase(std::string_view table, std::vector<std::int64_t> rows);
  void make_stubs(const std::vector<std::int64_t>& events);
  void erase_moments(const StepInterval& step);
  // Erases rows that add to memory events, except to those in `kept`.
  void erase_said_of_memory(const StepInterval& step, const std::unordered_set<std::uint64_t>& kept);
  void erase_said_of_event(std::uint64_t sequence);
  void erase_spans(const StepInterval& step);
  // Erases the step and its phases themselves.
  void erase_structure(const StepBegin& step, const StepInterval& interval);

  // Rows erased since the counts were saved.
  std::uint64_t erased() const {
    std::int64_t rows = 0;
    for (const auto& [table, count] : deleted_) rows += count;
    return static_cast<std::uint64_t>(rows);
  }

  // Writes the number of rows deleted from each table since the last call.
  void save_counts();

 private:
  SqliteStatement& statement(const std::string& sql);
  bool has(std::string_view table) const { return tables_.contains(table); }
  void run_counted(std::string_view table, SqliteStatement& statement);

  SqliteConnection& connection_;
  std::map<std::string, std::uint32_t, std::less<>> tables_;  // with their STRATA_THIN_*
  struct Part {
    std::string table, parent, key;
  };
  std::vector<Part> parts_;
  std::string last_span_;
  std::unordered_map<std::string, std::unique_ptr<SqliteStatement>> statements_;
  std::map<std::string, std::int64_t, std::less<>> deleted_;  // not saved yet
};

}  // namespace strata
