// SPDX-License-Identifier: Apache-2.0
// One run store, opened for reading. The file's contents are untrusted: views and triggers never run, values
// are checked for type and range, and every problem is a RunError that names file, table and row.
#pragma once

#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace strata::analysis {

// The current row of a query. Columns are counted from 0, in the requested order. A value of another type, or
// out of range, throws RunError.
class Row {
 public:
  std::int64_t integer(int column) const;
  // An unsigned 64-bit value, stored bit for bit as a signed one.
  std::uint64_t bits(int column) const { return static_cast<std::uint64_t>(integer(column)); }
  std::uint32_t small(int column) const;
  // NULL is NaN.
  double real(int column) const;
  // Valid until the next row.
  std::string_view text(int column) const;

 private:
  friend class Query;
  Row(sqlite3_stmt* statement, const std::string& place) : statement_(statement), place_(place) {}
  [[noreturn]] void refuse(int column, std::string_view expected) const;

  sqlite3_stmt* statement_;
  const std::string& place_;  // "runs/x/rank0/7.sqlite: table host_phase_begin"
};

class StoreFile {
 public:
  explicit StoreFile(std::filesystem::path path);

  const std::filesystem::path& path() const { return path_; }
  // A view of that name does not count.
  bool has_table(std::string_view table) const;

 private:
  friend class Query;
  bool open(bool immutable);
  [[noreturn]] void fail(std::string_view doing) const;

  struct Close {
    void operator()(sqlite3* database) const;
  };
  std::filesystem::path path_;
  std::unique_ptr<sqlite3, Close> database_;
};

// The position at which a returning reader continues.
struct RowsAfter {
  std::int64_t rowid = 0;  // rows after this one
  std::int64_t most_rows = 0;
};

// The rows of one table, in file order: `Query query(file, "spool", {"file"}); while (query.next())`
class Query {
 public:
  Query(const StoreFile& file, std::string_view table, std::initializer_list<std::string_view> columns);
  // The rowid can be requested like a column, by that name.
  Query(const StoreFile& file, std::string_view table, std::span<const std::string_view> columns,
        RowsAfter after);

  // False after the last row.
  bool next();
  const Row& row() const { return row_; }

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  static std::unique_ptr<sqlite3_stmt, Finalize> prepare(const StoreFile& file, std::string_view table,
                                                         std::span<const std::string_view> columns,
                                                         std::optional<RowsAfter> after);

  const StoreFile& file_;
  std::string place_;
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
  Row row_;
};

}  // namespace strata::analysis
