// SPDX-License-Identifier: Apache-2.0
// A table over the cells of a grid, with typed columns, so that each output format has its own units.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace strata::grid {

enum class ColumnKind {
  kText,
  kNumber,       // without a unit: counts, values of keys
  kBytes,        // MiB in text, bytes for programs
  kNanoseconds,  // ms in text, ns for programs
  kPerSecond
};

struct Column {
  std::string name;
  ColumnKind kind = ColumnKind::kText;
};

// The value of one cell, or of several that differ in settings that are not shown.
struct Entry {
  std::string text = {};                        // for kText
  std::optional<double> number = {};            // for other kinds; the median of several cells
  std::optional<double> least = {}, most = {};  // for several cells
};

struct Table {
  std::vector<Column> columns;
  std::vector<std::vector<Entry>> rows;
};

Entry text_entry(std::string text);
Entry number_entry(std::optional<double> number);

// The median, minimum and maximum of the entries that have a number.
Entry entry_over(const std::vector<Entry>& entries);

// Rows with the same texts in the columns `by` are merged, in the order of their first row: numbers as in
// `entry_over`, texts if all are equal, and the number of rows in a column `cells`.
Table grouped(const Table& table, const std::vector<std::string>& by);

// For a terminal, in columns; or as Markdown, CSV (RFC 4180, raw units in the header) and JSON (an array of
// objects; null for unknown values).
std::string terminal_table(const Table& table);
std::string markdown_table(const Table& table);
std::string csv_table(const Table& table);
std::string json_table(const Table& table);

// Readable form: "1,338.1", "12.3 (11.9-13.0)"; empty without a value.
std::string shown(const Entry& entry, ColumnKind kind);
// "peak_allocated MiB"
std::string heading(const Column& column);
// "peak_allocated_bytes"
std::string raw_name(const Column& column);

}  // namespace strata::grid
