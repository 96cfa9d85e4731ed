// SPDX-License-Identifier: Apache-2.0
// RAII classes for SQLite: a connection, a prepared statement, and an error that says what was being done. A
// connection and its statements are for one thread at a time.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

namespace strata {

class SqliteError : public std::runtime_error {
 public:
  SqliteError(sqlite3* connection, std::string_view doing);
};

class SqliteConnection {
 public:
  // Opens the file, creating it if it does not exist. The path must not be a link, so that no file elsewhere
  // is created or changed.
  explicit SqliteConnection(const std::filesystem::path& file);

  // One or more statements without results.
  void execute(const std::string& sql);
  // Attaches a database in memory, laid out as in a file, or replaces the one shown under this name before.
  // Not within a transaction; statements on tables of the earlier one must not be run any more. The bytes are
  // not copied: they must remain until the next one is shown or the connection is closed.
  void show(const std::string& schema, std::span<std::byte> database);
  sqlite3* get() const noexcept { return connection_.get(); }
  // Closes the file now and throws errors that the destructor would ignore.
  void close();

 private:
  struct Close {
    void operator()(sqlite3* connection) const noexcept { sqlite3_close_v2(connection); }
  };
  std::unique_ptr<sqlite3, Close> connection_;
};

// Parameters are counted from 1 and columns from 0, as in SQLite.
class SqliteStatement {
 public:
  SqliteStatement(SqliteConnection& connection, const std::string& sql);

  SqliteStatement& bind(int parameter, std::int64_t value);
  SqliteStatement& bind(int parameter, double value);  // NaN is NULL
  // The text is not copied: it must live until `run` or the last `next`.
  SqliteStatement& bind(int parameter, std::string_view text);

  // Executes a statement without results and makes it ready for the next values.
  void run();
  // Steps to the next row; false, and ready for the next values, after the last one.
  bool next();
  int columns() const { return sqlite3_column_count(statement_.get()); }
  std::int64_t integer(int column) const { return sqlite3_column_int64(statement_.get(), column); }
  double real(int column) const { return sqlite3_column_double(statement_.get(), column); }
  std::string text(int column) const;  // empty for NULL

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const noexcept { sqlite3_finalize(statement); }
  };
  void check(int code) const;

  sqlite3* connection_;
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

}  // namespace strata
