// SPDX-License-Identifier: Apache-2.0
// Converts a row of a table, in the plugin's layout, to a record of SQLite's file format
// (https://www.sqlite.org/fileformat2.html#record_format). Any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "host/runtime/store/table.hpp"

namespace strata {

class RecordFormat {
 public:
  explicit RecordFormat(const Table& table);

  // Writes the record of `row` (of the table's `row_bytes`) and returns its end. Up to `kSlackBytes` after
  // the end are overwritten as well.
  std::byte* write(const std::byte* row, std::byte* record) const noexcept;

  static constexpr std::size_t kSlackBytes = 8;
  std::size_t smallest_bytes() const noexcept { return header_bytes_; }
  std::size_t largest_bytes() const noexcept { return largest_bytes_; }

 private:
  enum class Kind : std::uint32_t { kInteger64, kInteger32, kReal };
  struct Field {
    Kind kind;
    std::uint32_t offset;
  };
  static Kind kind_of(std::uint32_t column_type) noexcept;

  std::vector<Field> fields_;
  std::size_t header_bytes_;
  std::size_t largest_bytes_;
};

}  // namespace strata
