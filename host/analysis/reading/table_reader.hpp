// SPDX-License-Identifier: Apache-2.0
// Common functions for reading the tables of one run store: texts by id, checked times, and warnings about
// missing or invalid rows.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "host/analysis/reading/store_file.hpp"
#include "host/analysis/recording/recording.hpp"

namespace strata::analysis {

class TableReader {
 public:
  // Anomalies are added to the warnings of `run`. Both outlive this.
  TableReader(const StoreFile& file, Recording& run) : file_(file), run_(run) {}

  // Call before reading the first row that refers to a text.
  void read_texts();

  enum class Need { kExpected, kOptional };

  // Calls `use` for each row, in file order.
  template <typename Use>
  void each(std::string_view table, Need need, std::initializer_list<std::string_view> columns, Use use) {
    if (!file_.has_table(table)) {
      if (need == Need::kExpected) warn("has no table {}, so its data is missing here", table);
      return;
    }
    for (Query query(file_, table, columns); query.next();) use(query.row());
  }

  template <typename... Arguments>
  void warn(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    run_.warnings.push_back(file_.path().string() + ": " +
                            fmt::format(format, std::forward<Arguments>(arguments)...));
  }

  // Throws RunError.
  [[noreturn]] void refuse(std::string_view what) const;

  // Index into Recording::texts; 0 for an id not in the store, which is counted.
  std::uint32_t text(const Row& row, int column);
  std::size_t unknown_texts() const { return unknown_texts_; }

  static Device device(const Row& row, int type_column) {
    return {row.small(type_column), static_cast<std::int32_t>(row.integer(type_column + 1))};
  }

  // Throws RunError if it is not a time of CLOCK_MONOTONIC.
  std::int64_t time_ns(const Row& row, int column) const;

 private:
  const StoreFile& file_;
  Recording& run_;
  std::unordered_map<std::uint32_t, std::uint32_t> text_of_id_;
  std::size_t unknown_texts_ = 0;
};

}  // namespace strata::analysis
