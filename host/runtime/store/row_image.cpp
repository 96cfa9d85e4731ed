// SPDX-License-Identifier: Apache-2.0
#include "host/runtime/store/row_image.hpp"

#include <fmt/format.h>

#include <cstring>
#include <string_view>
#include <utility>

#include "host/runtime/store/big_endian.hpp"

namespace strata {
namespace {

// The smallest that has room for the record of any row (kMaximumRowBytes, kMaximumColumns).
constexpr std::size_t kPageBytes = 8192;
// A batch of 65,536 rows of 14 columns takes three quarters of them. Memory is used by those that have been
// filled once.
constexpr std::uint32_t kPages = 900;

constexpr std::size_t kFileHeaderBytes = 100;
constexpr std::size_t kLeafHeaderBytes = 8;
constexpr std::size_t kInteriorHeaderBytes = 12;
constexpr std::size_t kPointerBytes = 2;

// Sizes and ids of rows are written in as many bytes as the largest ones need.
constexpr std::size_t kSizeBytes = 2;
constexpr std::size_t kIdBytes = 3;
constexpr std::size_t kCellHeadBytes = kSizeBytes + kIdBytes;
constexpr std::size_t kChildBytes = sizeof(std::uint32_t) + kIdBytes;  // a cell of a root
static_assert(kInteriorHeaderBytes + kPages * (kPointerBytes + kChildBytes) <= kPageBytes,
              "a root has room for all others");

// A row of sqlite_schema: the size of its header, with three bytes for the type of a text, and the part that
// is the same for each table.
constexpr std::string_view kSchemaType = "table";
constexpr std::uint32_t kSchemaHeaderBytes = 1 + 4 * 3 + 1;
constexpr std::size_t kSchemaRowBytes =
    kPointerBytes + kCellHeadBytes + kSchemaHeaderBytes + kSchemaType.size() + sizeof(std::uint32_t);

std::string create_table_sql(std::string_view name, const Table& table) {
  std::string columns;
  for (std::size_t index = 0; index < table.columns.size(); ++index) {
    columns += fmt::format("{}c{}{}", index == 0 ? "" : ",", index, sql_type(table.columns[index].type));
  }
  return fmt::format("CREATE TABLE \"{}\"({})", name, columns);
}

// The header of a leaf at `header` of its page: the number of cells, their begin and end. The rest is a free
// block, or a fragment if it is too small for one.
void put_leaf_header(std::byte* page, std::size_t header, std::size_t cells, std::size_t begin,
                     std::size_t end) noexcept {
  constexpr std::size_t kSmallestFreeBlock = 4;
  const std::size_t rest = kPageBytes - end;
  const bool is_block = rest >= kSmallestFreeBlock;
  page[header] = std::byte{0x0d};
  put_16(page + header + 1, static_cast<std::uint32_t>(is_block ? end : 0));
  put_16(page + header + 3, static_cast<std::uint32_t>(cells));
  put_16(page + header + 5, static_cast<std::uint32_t>(begin));
  page[header + 7] = static_cast<std::byte>(is_block ? 0 : rest);
  if (!is_block) return;
  put_16(page + end, 0);  // the last one
  put_16(page + end + 2, static_cast<std::uint32_t>(rest));
}

void put_cell_head(std::byte* cell, std::size_t record_bytes, std::uint32_t id) noexcept {
  put_varint<kSizeBytes>(cell, static_cast<std::uint32_t>(record_bytes));
  put_varint<kIdBytes>(cell + kSizeBytes, id);
}

std::byte* put_text(std::byte* place, std::string_view text) noexcept {
  std::memcpy(place, text.data(), text.size());
  return place + text.size();
}

// Writes type, name, tbl_name, rootpage and sql. Returns the cell's end.
std::byte* put_schema_cell(std::byte* cell, std::uint32_t id, std::string_view name, std::uint32_t root,
                           std::string_view sql) noexcept {
  constexpr std::byte kInteger32{4};
  const auto text_type = [](std::string_view text) {
    return static_cast<std::uint32_t>(13 + 2 * text.size());
  };
  std::byte* const record = cell + kCellHeadBytes;
  put_varint<1>(record, kSchemaHeaderBytes);
  put_varint<3>(record + 1, text_type(kSchemaType));
  put_varint<3>(record + 4, text_type(name));
  put_varint<3>(record + 7, text_type(name));
  record[10] = kInteger32;
  put_varint<3>(record + 11, text_type(sql));
  std::byte* value = put_text(put_text(put_text(record + kSchemaHeaderBytes, kSchemaType), name), name);
  put_32(value, root);
  std::byte* const end = put_text(value + sizeof root, sql);
  put_cell_head(cell, static_cast<std::size_t>(end - record), id);
  return end;
}

}  // namespace

RowImage::Sheet::Sheet(std::string name, const Table& table)
    : name_(std::move(name)),
      sql_(create_table_sql(name_, table)),
      format_(table),
      most_cells_(static_cast<std::uint32_t>((kPageBytes - kLeafHeaderBytes - RecordFormat::kSlackBytes) /
                                             (kPointerBytes + kCellHeadBytes + format_.smallest_bytes()))) {
  reset();
}

// As if its page were full: the first row starts a new one.
void RowImage::Sheet::reset() noexcept {
  rows_ = 0;
  filled_.clear();
  page_ = 0;
  cells_ = most_cells_;
}

RowImage::RowImage() : bytes_(std::make_unique_for_overwrite<std::byte[]>(kPages * kPageBytes)) {}

std::byte* RowImage::page(std::uint32_t number) const noexcept {
  return bytes_.get() + (number - 1) * kPageBytes;
}

std::uint64_t RowImage::rows() const noexcept {
  std::uint64_t rows = 0;
  for (const Sheet* sheet : sheets_) rows += sheet->rows_;
  return rows;
}

bool RowImage::turn_page(Sheet& sheet) {
  const bool is_new = sheet.page_ == 0;
  // Each sheet may need one more page in the end.
  if (pages_ + 1 + sheets_.size() + (is_new ? 1 : 0) > kPages) return false;
  if (is_new) {
    const std::size_t schema_bytes = kSchemaRowBytes + 2 * sheet.name_.size() + sheet.sql_.size();
    if (kFileHeaderBytes + kLeafHeaderBytes + schema_bytes_ + schema_bytes > kPageBytes) return false;
    schema_bytes_ += schema_bytes;
    sheets_.push_back(&sheet);
  } else {
    end_page(sheet);
    sheet.filled_.push_back({sheet.page_, sheet.rows_});
  }
  sheet.page_ = ++pages_;
  sheet.cells_ = 0;
  sheet.page_begin_ = page(sheet.page_);
  sheet.cell_ = sheet.page_begin_ + kLeafHeaderBytes + kPointerBytes * sheet.most_cells_;
  sheet.last_cell_ = sheet.page_begin_ + kPageBytes - kCellHeadBytes - sheet.format_.largest_bytes() -
                     RecordFormat::kSlackBytes;
  return true;
}

void RowImage::append(Sheet& sheet, const std::byte* row) noexcept {
  std::byte* const record = sheet.cell_ + kCellHeadBytes;
  std::byte* const end = sheet.format_.write(row, record);
  put_cell_head(sheet.cell_, static_cast<std::size_t>(end - record), ++sheet.rows_);
  put_16(sheet.page_begin_ + kLeafHeaderBytes + kPointerBytes * sheet.cells_++,
         static_cast<std::uint32_t>(sheet.cell_ - sheet.page_begin_));
  sheet.cell_ = end;
}

// Cells are placed upwards after the last pointer.
void RowImage::end_page(const Sheet& sheet) noexcept {
  put_leaf_header(sheet.page_begin_, 0, sheet.cells_, kLeafHeaderBytes + kPointerBytes * sheet.most_cells_,
                  static_cast<std::size_t>(sheet.cell_ - sheet.page_begin_));
}

// The page that leads to all others of the sheet.
std::uint32_t RowImage::root_of(const Sheet& sheet) {
  end_page(sheet);
  if (sheet.filled_.empty()) return sheet.page_;
  std::byte* const root = page(++pages_);
  const auto leaves = static_cast<std::uint32_t>(sheet.filled_.size());
  const std::size_t first_cell = kPageBytes - kChildBytes * leaves;
  std::memset(root, 0, kInteriorHeaderBytes);
  root[0] = std::byte{0x05};
  put_16(root + 3, leaves);
  put_16(root + 5, static_cast<std::uint32_t>(first_cell));
  put_32(root + 8, sheet.page_);
  for (std::uint32_t leaf = 0; leaf < leaves; ++leaf) {
    const std::size_t cell = first_cell + kChildBytes * leaf;
    put_16(root + kInteriorHeaderBytes + kPointerBytes * leaf, static_cast<std::uint32_t>(cell));
    put_32(root + cell, sheet.filled_[leaf].page);
    put_varint<kIdBytes>(root + cell + 4, sheet.filled_[leaf].last_row);
  }
  return pages_;
}

std::span<std::byte> RowImage::finish() {
  std::vector<std::uint32_t> roots;
  for (const Sheet* sheet : sheets_) roots.push_back(root_of(*sheet));
  write_first_page(roots);
  return {bytes_.get(), pages_ * kPageBytes};
}

void RowImage::write_first_page(const std::vector<std::uint32_t>& roots) noexcept {
  std::byte* const header = page(1);
  std::memset(header, 0, kFileHeaderBytes);
  put_text(header, "SQLite format 3");
  put_16(header + 16, kPageBytes);
  header[18] = header[19] = std::byte{1};  // written and read by any SQLite
  header[21] = std::byte{64};              // of a page's payload, as every file has it
  header[22] = header[23] = std::byte{32};
  put_32(header + 24, ++version_);
  put_32(header + 28, pages_);
  put_32(header + 40, version_);  // of the schema: tables lie elsewhere each time
  put_32(header + 44, 4);         // of the format: zero and one are serial types
  put_32(header + 56, 1);         // UTF-8
  put_32(header + 92, version_);

  const std::size_t pointers = kFileHeaderBytes + kLeafHeaderBytes;
  const std::size_t first_cell = pointers + kPointerBytes * roots.size();
  std::byte* cell = header + first_cell;
  for (std::uint32_t index = 0; index < roots.size(); ++index) {
    put_16(header + pointers + kPointerBytes * index, static_cast<std::uint32_t>(cell - header));
    cell = put_schema_cell(cell, index + 1, sheets_[index]->name_, roots[index], sheets_[index]->sql_);
  }
  put_leaf_header(header, kFileHeaderBytes, roots.size(), first_cell,
                  static_cast<std::size_t>(cell - header));
}

void RowImage::clear() noexcept {
  for (Sheet* sheet : sheets_) sheet->reset();
  sheets_.clear();
  schema_bytes_ = 0;
  pages_ = 1;
}

}  // namespace strata
