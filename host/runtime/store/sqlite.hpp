// SPDX-License-Identifier: Apache-2.0
// SQLite behind RAII: a connection, a prepared statement, an error that says what was being done. A
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
  // Opens the file, creating it when it is not there. It may be no link: what that leads to is not to be
  // made or changed.
  explicit SqliteConnection(const std::filesystem::path& file);

  // One or more statements without results.
  void execute(const std::string& sql);
  // Attaches a database that lies in memory, as it would lie in a file, or puts it in the place of the one
  // that was shown under this name before. Not within a transaction; no statement of the earlier one's tables
  // is to be run any more. It is not copied: it must stay there until the next one is shown, or the
  // connection closed.
  void show(const std::string& schema, std::span<std::byte> database);
  sqlite3* get() const noexcept { return connection_.get(); }
  // Closes the file now; throws what the destructor would keep to itself.
  void close();

 private:
  struct Close {
    void operator()(sqlite3* connection) const noexcept { sqlite3_close_v2(connection); }
  };
  std::unique_ptr<sqlite3, Close> connection_;
};

// Parameters and columns count from 1 and from 0, as SQLite's do.
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
