// SPDX-License-Identifier: Apache-2.0
#include "host/runtime/store/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <stdexcept>

namespace strata {
namespace {

// Names of the run store's own (docs/run-store.md) that a plugin's table could take.
constexpr std::array<std::string_view, 4> kTakenNames = {"table_info", "column_info", "thinned_step",
                                                         "thinned_rows"};

bool is_name(std::string_view text) {
  const auto is_letter = [](char c) { return c >= 'a' && c <= 'z'; };
  const auto is_rest = [&](char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '_'; };
  return !text.empty() && is_letter(text.front()) && std::all_of(text.begin(), text.end(), is_rest);
}

std::string text_or_empty(const char* text) {
  return text != nullptr ? text : "";
}

void check_column(const Table& table, const Column& column) {
  const auto refuse = [&](const std::string& reason) {
    throw std::invalid_argument(fmt::format("table '{}', column '{}': {}", table.name, column.name, reason));
  };
  if (!is_name(column.name)) refuse("a column's name must match [a-z][a-z0-9_]*");
  const std::uint32_t bytes = column_bytes(column.type);
  if (bytes == 0)
    refuse(fmt::format("unknown type {}; see STRATA_COLUMN_* in strata/ext/store.h", column.type));
  if (column.offset > table.row_bytes || table.row_bytes - column.offset < bytes) {
    refuse(fmt::format("offset {} with {} bytes lies outside the row of {} bytes", column.offset, bytes,
                       table.row_bytes));
  }
}

}  // namespace

std::uint32_t column_bytes(std::uint32_t type) noexcept {
  switch (type) {
    case STRATA_COLUMN_UINT32:
    case STRATA_COLUMN_STRING:
      return 4;
    case STRATA_COLUMN_INT64:
    case STRATA_COLUMN_UINT64:
    case STRATA_COLUMN_REAL:
      return 8;
    default:
      return 0;
  }
}

void check_table(const Table& table) {
  const auto refuse = [&](const std::string& reason) {
    throw std::invalid_argument(fmt::format("table '{}': {}", table.name, reason));
  };
  if (!is_name(table.name)) refuse("a table's name and its plugin's id must match [a-z][a-z0-9_]*");
  if (!table.name.starts_with(table.plugin + "_")) refuse("its name does not begin with its plugin's name");
  if (std::find(kTakenNames.begin(), kTakenNames.end(), table.name) != kTakenNames.end() ||
      table.name.starts_with("sqlite_")) {
    refuse("the run store reserves this name; choose another");
  }
  if (table.row_bytes == 0 || table.row_bytes > kMaximumRowBytes) {
    refuse(fmt::format("a row must have 1 to {} bytes, found {}", kMaximumRowBytes, table.row_bytes));
  }
  if (table.columns.empty() || table.columns.size() > kMaximumColumns) {
    refuse(fmt::format("a table must have 1 to {} columns, found {}", kMaximumColumns, table.columns.size()));
  }
  std::set<std::string_view> names;
  for (const Column& column : table.columns) {
    check_column(table, column);
    if (!names.insert(column.name).second) refuse(fmt::format("column '{}' is declared twice", column.name));
  }
}

Table copy_table(std::string_view plugin_id, const strata_table& declared) {
  if (!STRATA_HAS_FIELD(strata_table, &declared, column_count)) {
    throw std::invalid_argument(
        fmt::format("a table of '{}': struct_size {} is less than in any version of strata_table; set it to "
                    "sizeof(strata_table)",
                    plugin_id, declared.struct_size));
  }
  Table table;
  table.name = fmt::format("{}_{}", plugin_id, text_or_empty(declared.name));
  table.plugin = plugin_id;
  table.help = text_or_empty(declared.help);
  table.row_bytes = declared.row_bytes;
  table.thin = declared.thin;
  if (declared.columns == nullptr && declared.column_count != 0) {
    throw std::invalid_argument(fmt::format("table '{}': `columns` is null", table.name));
  }
  for (std::uint32_t index = 0; index < declared.column_count; ++index) {
    const strata_column& column = declared.columns[index];
    table.columns.push_back({text_or_empty(column.name), column.type, column.offset,
                             text_or_empty(column.unit), text_or_empty(column.help)});
  }
  check_table(table);
  return table;
}

}  // namespace strata
