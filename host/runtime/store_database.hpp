// SPDX-License-Identifier: Apache-2.0
// The SQLite file of a run store, as the writer thread and recovery write it. Not thread-safe: one of them
// owns it.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "host/runtime/definition_log.hpp"
#include "host/runtime/spool_reader.hpp"
#include "host/runtime/spool_rows.hpp"
#include "host/runtime/sqlite.hpp"
#include "host/runtime/table.hpp"

namespace strata {

// Everything throws SqliteError when SQLite refuses; what was begun is then to be rolled back, and can be
// tried again as a whole.
class StoreDatabase {
 public:
  // Opens the file, or makes it with the tables of every run store.
  explicit StoreDatabase(const std::filesystem::path& file);
  ~StoreDatabase();

  void begin();
  void commit();
  void rollback() noexcept;

  // Makes a table, a text, a fact or a gap part of the store. A table's handle means it from here on.
  void define(const Definition& definition);

  // Inserts what `reader` reads, up to `maximum_rows`; returns how many rows. Throws SpoolError when a record
  // is no row of a defined table; what came before it is inserted.
  std::uint64_t insert_rows(SpoolReader& reader, std::uint64_t maximum_rows);

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
    OpenTable(SqliteConnection& connection, const TableDefinition& definition)
        : table(definition.table),
          rows(connection, definition.handle, table),
          insert(connection, "INSERT INTO \"" + table.name + "\" SELECT * FROM " + rows.name()) {}
    Table table;
    SpoolRows rows;  // read, not yet inserted
    SqliteStatement insert;
  };

  void define_one(const TableDefinition& definition);
  void define_one(const TextDefinition& definition);
  void define_one(const Fact& fact);
  void define_one(const Gap& gap);
  std::uint64_t stage_rows(SpoolReader& reader, std::uint64_t maximum_rows);
  void insert_staged();

  SqliteConnection connection_;
  struct Statements;
  std::unique_ptr<Statements> statements_;
  std::array<std::unique_ptr<OpenTable>, kMaximumTables + 1> tables_;  // by handle
};

}  // namespace strata
