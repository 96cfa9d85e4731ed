// SPDX-License-Identifier: Apache-2.0
// A declared table: what strata/ext/store.h lets a plugin describe, checked and copied.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "strata/ext/store.h"

namespace strata {

// Handles are 1 to this; a spool keeps a place for each of them.
inline constexpr std::uint32_t kMaximumTables = 255;
inline constexpr std::uint32_t kMaximumRowBytes = 4096;
inline constexpr std::size_t kMaximumColumns = 1000;  // SQLite has 2000 as it is usually built

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
  std::uint32_t thin = STRATA_THIN_NEVER;  // STRATA_THIN_*; unknown in what was read from a definition log

  bool operator==(const Table&) const = default;
};

// Bytes of a field of that STRATA_COLUMN_* type; 0 for what is none.
std::uint32_t column_bytes(std::uint32_t type) noexcept;

// What CREATE TABLE says of such a column behind its name. The same for the store's table and for what is
// copied into it, or SQLite would look at each value. An integer has no type, for there is nothing else in
// its column.
constexpr const char* sql_type(std::uint32_t type) noexcept {
  return type == STRATA_COLUMN_REAL ? " REAL" : "";
}

// Throws std::invalid_argument with the reason when the run store cannot hold `table`.
void check_table(const Table& table);

// A checked copy. Throws as `check_table` does.
Table copy_table(std::string_view plugin_id, const strata_table& declared);

}  // namespace strata
