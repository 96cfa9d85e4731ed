// SPDX-License-Identifier: Apache-2.0
// A table over the cells of a grid: typed columns, so that each way to write it has its own units.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace strata::grid {

enum class ColumnKind {
  kText,
  kNumber,       // as it is: counts, values of keys
  kBytes,        // MiB for people, bytes for programs
  kNanoseconds,  // ms for people, ns for programs
  kPerSecond
};

struct Column {
  std::string name;
  ColumnKind kind = ColumnKind::kText;
};

// Of one cell, or of several that differ in what a table does not show.
struct Entry {
  std::string text = {};                        // of kText
  std::optional<double> number = {};            // of others; of several cells the median
  std::optional<double> least = {}, most = {};  // of several cells
};

struct Table {
  std::vector<Column> columns;
  std::vector<std::vector<Entry>> rows;
};

Entry text_entry(std::string text);
Entry number_entry(std::optional<double> number);

// The median, the least and the most of those that have a number.
Entry entry_over(const std::vector<Entry>& entries);

// Rows with the same texts in the columns `by` become one, in the order of their first: numbers as
// `entry_over`, texts where all agree, and how many there are in a column `cells`.
Table grouped(const Table& table, const std::vector<std::string>& by);

// For a terminal, in columns, or as Markdown, CSV (RFC 4180, raw units in the header's names) and JSON
// (an array of objects; null for what is not known).
std::string terminal_table(const Table& table);
std::string markdown_table(const Table& table);
std::string csv_table(const Table& table);
std::string json_table(const Table& table);

// What a person reads: "1,338.1", "12.3 (11.9-13.0)"; empty for nothing.
std::string shown(const Entry& entry, ColumnKind kind);
// "peak_allocated MiB"
std::string heading(const Column& column);
// "peak_allocated_bytes"
std::string raw_name(const Column& column);

}  // namespace strata::grid
