// SPDX-License-Identifier: Apache-2.0
// Rows as a database in memory, in SQLite's file format (https://www.sqlite.org/fileformat2.html): an
// `INSERT INTO t SELECT * FROM` a table of it copies whole records. To have SQLite make them, value by value,
// was two thirds of the writer's work (docs/decisions/014-sqlite-reads-the-rows-as-a-database.md).
//
// Knows the format and nothing of SQLite itself. For one thread at a time.
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
  // The rows of one table. It outlives what the image has of it, which ends with `clear`.
  class Sheet {
   public:
    // Its name in the image is `name`, another one than every other sheet's. Columns are in their order,
    // without their names, for none of them matters to a copy of all.
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
    std::uint32_t most_cells_;  // that a page has room for

    std::uint32_t rows_ = 0;    // a row's id is how many there were with it
    std::vector<Leaf> filled_;  // pages, in their order
    std::uint32_t page_ = 0;    // being filled; 0: none
    std::uint32_t cells_ = 0;   // of it
    std::byte* page_begin_ = nullptr;
    std::byte* cell_ = nullptr;       // where the next one goes
    std::byte* last_cell_ = nullptr;  // behind which none may begin
  };

  RowImage();

  // Copies a row of the sheet's table. False, and nothing is done, when it has no room; an image without rows
  // always has.
  bool add(Sheet& sheet, const std::byte* row) {
    if (sheet.cells_ == sheet.most_cells_ || sheet.cell_ > sheet.last_cell_) [[unlikely]] {
      if (!turn_page(sheet)) return false;
    }
    append(sheet, row);
    return true;
  }

  bool is_empty() const noexcept { return sheets_.empty(); }
  std::uint64_t rows() const noexcept;

  // Makes a whole database of what was added; a table of it is named as its sheet. The bytes stay as they are
  // until `clear`, before which nothing more can be added.
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
  std::uint32_t pages_ = 1;  // the first one names the tables
  std::size_t schema_bytes_ = 0;
  std::vector<Sheet*> sheets_;  // that have rows
  std::uint32_t version_ = 0;
};

}  // namespace strata
