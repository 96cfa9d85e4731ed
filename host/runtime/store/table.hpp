// SPDX-License-Identifier: Apache-2.0
// A declared table: checked copy of the declaration in strata/ext/store.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "strata/ext/store.h"

namespace strata {

// Handles are 1 to this number; a spool has a slot for each of them.
inline constexpr std::uint32_t kMaximumTables = 255;
inline constexpr std::uint32_t kMaximumRowBytes = 4096;
inline constexpr std::size_t kMaximumColumns = 1000;  // SQLite's usual limit is 2000

struct Column {
  std::string name;
  std::uint32_t type = 0;    // STRATA_COLUMN_*
  std::uint32_t offset = 0;  // within the row, in bytes
  std::string unit;
  std::string help;

  bool operator==(const Column&) const = default;
};

struct Table {
  std::string name;  // in the run store: <plugin>_<name as declared>
  std::string plugin;
  std::string help;
  std::uint32_t row_bytes = 0;
  std::vector<Column> columns;
  std::uint32_t thin = STRATA_THIN_NEVER;  // STRATA_THIN_*; unknown if read from a definition log

  bool operator==(const Table&) const = default;
};

// Size in bytes of a field of that STRATA_COLUMN_* type; 0 if there is no such type.
std::uint32_t column_bytes(std::uint32_t type) noexcept;

// What CREATE TABLE has after the column's name. The type is the same in the store's table and in the table
// copied into it, because SQLite would otherwise check each value. An integer column has no type: it contains
// nothing else.
constexpr const char* sql_type(std::uint32_t type) noexcept {
  return type == STRATA_COLUMN_REAL ? " REAL" : "";
}

// Throws std::invalid_argument with the reason if the run store cannot hold `table`.
void check_table(const Table& table);

// A checked copy. Throws like `check_table`.
Table copy_table(std::string_view plugin_id, const strata_table& declared);

}  // namespace strata
