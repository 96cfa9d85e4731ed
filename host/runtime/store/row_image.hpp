// SPDX-License-Identifier: Apache-2.0
// Rows as a database in memory, in SQLite's file format (https://www.sqlite.org/fileformat2.html). `INSERT
// INTO t SELECT * FROM` one of its tables copies whole records. Before, SQLite built them value by value,
// which was two thirds of the writer's work (docs/decisions/014-sqlite-reads-the-rows-as-a-database.md).
//
// Implements the format without using SQLite. One thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "host/runtime/store/record_format.hpp"

namespace strata {

class RowImage {
 public:
  // The rows of one table. It outlives its part of the image, which ends with `clear`.
  class Sheet {
   public:
    // `name` is its table's name in the image, different for every sheet. Columns are in order and have no
    // names, because copying all of them does not need any.
    Sheet(std::string name, const Table& table);

    const std::string& name() const noexcept { return name_; }
    bool has_rows() const noexcept { return rows_ != 0; }

   private:
    friend class RowImage;
    struct Leaf {
      std::uint32_t page;
      std::uint32_t last_row;
    };
    void reset() noexcept;

    std::string name_;
    std::string sql_;
    RecordFormat format_;
    std::uint32_t most_cells_;  // capacity of a page

    std::uint32_t rows_ = 0;    // a row's id is the number of rows including it
    std::vector<Leaf> filled_;  // full pages, in order
    std::uint32_t page_ = 0;    // being filled; 0: none
    std::uint32_t cells_ = 0;   // in that page
    std::byte* page_begin_ = nullptr;
    std::byte* cell_ = nullptr;       // where the next cell is written
    std::byte* last_cell_ = nullptr;  // no cell may begin after it
  };

  RowImage();

  // Copies a row of the sheet's table. Returns false without any change if there is no space; an empty image
  // always has space.
  bool add(Sheet& sheet, const std::byte* row) {
    if (sheet.cells_ == sheet.most_cells_ || sheet.cell_ > sheet.last_cell_) [[unlikely]] {
      if (!turn_page(sheet)) return false;
    }
    append(sheet, row);
    return true;
  }

  bool is_empty() const noexcept { return sheets_.empty(); }
  std::uint64_t rows() const noexcept;

  // Makes a complete database of the added rows; each table is named like its sheet. The bytes stay unchanged
  // until `clear`. No more rows can be added before that.
  std::span<std::byte> finish();
  void clear() noexcept;

 private:
  std::byte* page(std::uint32_t number) const noexcept;
  bool turn_page(Sheet& sheet);
  static void append(Sheet& sheet, const std::byte* row) noexcept;
  static void end_page(const Sheet& sheet) noexcept;
  std::uint32_t root_of(const Sheet& sheet);
  void write_first_page(const std::vector<std::uint32_t>& roots) noexcept;

  std::unique_ptr<std::byte[]> bytes_;
  std::uint32_t pages_ = 1;  // the first page has the table names
  std::size_t schema_bytes_ = 0;
  std::vector<Sheet*> sheets_;  // those with rows
  std::uint32_t version_ = 0;
};

}  // namespace strata
