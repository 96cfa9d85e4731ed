// SPDX-License-Identifier: Apache-2.0
// The SQLite file of a run store, for the writer thread and recovery. Not thread-safe: one of them owns it.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "host/runtime/store/definition_log.hpp"
#include "host/runtime/store/row_image.hpp"
#include "host/runtime/store/spool_reader.hpp"
#include "host/runtime/store/sqlite.hpp"
#include "host/runtime/store/store_thinner.hpp"
#include "host/runtime/store/table.hpp"

namespace strata {

// Who wrote the SQL in the file's schema.
enum class StoreOrigin {
  kThisProcess,
  kAnybody,  // it is not run: triggers are ignored, views are errors
};

// Every function throws SqliteError if SQLite refuses. The transaction must then be rolled back and can be
// retried as a whole.
class StoreDatabase {
 public:
  // Opens the file, or creates it with the tables that every run store has.
  explicit StoreDatabase(const std::filesystem::path& file, StoreOrigin origin = StoreOrigin::kThisProcess);
  ~StoreDatabase();

  // Reads up to `maximum_rows` rows of `thread`, or until the stage is full, for `insert_rows`; returns their
  // number. Call outside of a transaction, which can only insert rows staged before it begins. Throws
  // SpoolError if a record is not a row of a defined table; the rows before it are staged.
  std::uint64_t stage_rows(SpoolReader& reader, std::uint64_t maximum_rows, std::uint32_t thread = 0);
  std::uint64_t staged_rows() const noexcept { return staged_rows_.rows(); }
  // There may be more to read than the stage had space for.
  bool is_stage_full() const noexcept { return is_stage_full_; }

  void begin();
  void commit();
  void rollback() noexcept;  // also clears the stage

  // Adds a table, a text, a fact or a gap to the store. From here on a table's handle refers to the new
  // definition; it must not have staged rows.
  void define(const Definition& definition);

  // Inserts the rows staged before the transaction began, and clears the stage.
  void insert_rows();

  // The file must stay small: allows thinning of its oldest steps. Call before any table is defined.
  // `log_bytes` is the approximate maximum size of the write-ahead log.
  void prepare_thinning(std::uint64_t log_bytes);
  StoreThinner* thinner() noexcept { return thinner_.get(); }

  // From here on `stage_rows` only counts rows instead of staging them, except those of the run's steps and
  // phases.
  void drop_rows(bool drop) noexcept { is_dropping_ = drop; }
  // Number since the last call. Write it with `define_drops` in the same transaction as the rows around them.
  std::uint64_t define_drops();

  // How far a file of the spool folder is drained; 0 if it never was.
  std::uint64_t drained_bytes(const std::string& file);
  void set_drained_bytes(const std::string& file, std::uint64_t bytes);

  void set_meta(std::string_view key, std::string_view value);
  // Empty if there is no such fact.
  std::string meta(std::string_view key);

  // Merges the write-ahead log into the file and closes it.
  void close();

 private:
  void leave_one_file();
  struct OpenTable {
    explicit OpenTable(const TableDefinition& definition);
    Table table;
    RowImage::Sheet staged;
  };

  void define_one(const TableDefinition& definition);
  void define_one(const TextDefinition& definition);
  void define_one(const Fact& fact);
  void define_one(const Gap& gap);
  bool stage_record(const SpoolRecord& record, std::uint64_t position, std::uint32_t thread);
  void expect_defined(const Gap& gap) const;
  static bool may_be_dropped(const Table& table);
  void clear_stage() noexcept;

  RowImage staged_rows_;  // outlives the connection that shows it
  SqliteConnection connection_;
  struct Statements;
  std::unique_ptr<Statements> statements_;
  std::array<std::unique_ptr<OpenTable>, kMaximumTables + 1> tables_;  // by handle
  std::vector<Gap> staged_gaps_;
  bool is_stage_full_ = false;
  std::unique_ptr<StoreThinner> thinner_;
  bool is_dropping_ = false;
  struct Drop {
    std::int64_t begin_ns = 0;
    std::uint64_t rows = 0;  // not written yet
  };
  std::map<std::pair<std::uint32_t, std::uint32_t>, Drop> drops_;  // by table and thread
};

}  // namespace strata
