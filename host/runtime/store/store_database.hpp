// SPDX-License-Identifier: Apache-2.0
// The SQLite file of a run store, as the writer thread and recovery write it. Not thread-safe: one of them
// owns it.
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

#include "host/runtime/spool_reader.hpp"
#include "host/runtime/store/definition_log.hpp"
#include "host/runtime/store/row_image.hpp"
#include "host/runtime/store/sqlite.hpp"
#include "host/runtime/store/store_thinner.hpp"
#include "host/runtime/store/table.hpp"

namespace strata {

// Whose SQL is in the file's schema.
enum class StoreOrigin {
  kThisProcess,
  kAnybody,  // it is not run: triggers are passed over, views are errors
};

// Everything throws SqliteError when SQLite refuses; what was begun is then to be rolled back, and can be
// tried again as a whole.
class StoreDatabase {
 public:
  // Opens the file, or makes it with the tables of every run store.
  explicit StoreDatabase(const std::filesystem::path& file, StoreOrigin origin = StoreOrigin::kThisProcess);
  ~StoreDatabase();

  // Reads rows of `thread`, up to `maximum_rows` or until the stage is full, for `insert_rows`; returns how
  // many. Outside of a transaction: what is staged when one begins is what it can insert. Throws SpoolError
  // when a record is no row of a defined table; what came before it is staged.
  std::uint64_t stage_rows(SpoolReader& reader, std::uint64_t maximum_rows, std::uint32_t thread = 0);
  std::uint64_t staged_rows() const noexcept { return staged_rows_.rows(); }
  // There is more to read, perhaps, than the stage had room for.
  bool is_stage_full() const noexcept { return is_stage_full_; }

  void begin();
  void commit();
  void rollback() noexcept;  // clears the stage, too

  // Makes a table, a text, a fact or a gap part of the store. A table's handle means it from here on; it may
  // have no staged rows.
  void define(const Definition& definition);

  // Inserts what was staged before the transaction began, and clears the stage.
  void insert_rows();

  // The file is to stay small: from here on its oldest steps can be thinned. Before any table is defined.
  // `log_bytes` is about how large the write-ahead log grows.
  void prepare_thinning(std::uint64_t log_bytes);
  StoreThinner* thinner() noexcept { return thinner_.get(); }

  // What `stage_rows` finds from here on is not staged but counted, but for the steps and phases of the
  // run.
  void drop_rows(bool drop) noexcept { is_dropping_ = drop; }
  // Since the last call; to be written by `define_drops` in the same transaction as the rows around them.
  std::uint64_t define_drops();

  // How far a file of the spool folder is drained; 0 for one that never was.
  std::uint64_t drained_bytes(const std::string& file);
  void set_drained_bytes(const std::string& file, std::uint64_t bytes);

  void set_meta(std::string_view key, std::string_view value);
  // Empty when there is no such fact.
  std::string meta(std::string_view key);

  // Folds the write-ahead log into the file and closes it.
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

  RowImage staged_rows_;  // outlives the connection that it is shown to
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
