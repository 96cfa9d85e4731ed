// SPDX-License-Identifier: Apache-2.0
// Rows of one table that lie in spools, as a table that SQLite reads: `INSERT INTO t SELECT * FROM` it moves
// all of them in one statement. To bind and step a statement for each row was half of the writer's work
// (docs/decisions/014-sqlite-reads-the-spools.md).
//
// One connection sees it, without its being created; no other one and no file knows of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "host/runtime/store/sqlite.hpp"
#include "host/runtime/store/table.hpp"

namespace strata {

class SpoolRows {
 public:
  // Of the table that `handle` means from here on: an earlier one's statements are not to be run any more.
  // Outlives the statements that read it.
  SpoolRows(SqliteConnection& connection, std::uint32_t handle, const Table& table);
  SpoolRows(const SpoolRows&) = delete;
  SpoolRows& operator=(const SpoolRows&) = delete;

  // The name to select from, quoted.
  std::string name() const;

  // A row of `row_bytes` bytes, which is not copied: it must stay there until `clear`.
  void add(const std::byte* row) { rows_.push_back(row); }
  void clear() noexcept { rows_.clear(); }
  bool is_empty() const noexcept { return rows_.empty(); }

 private:
  struct Access;
  enum class Kind : std::uint32_t { kInteger64, kInteger32, kReal };
  struct Field {
    Kind kind;
    std::uint32_t offset;
  };
  static Kind kind_of(std::uint32_t column_type) noexcept;

  std::uint32_t handle_;
  std::string schema_;
  std::vector<Field> fields_;
  std::vector<const std::byte*> rows_;
};

}  // namespace strata
