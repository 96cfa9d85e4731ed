// SPDX-License-Identifier: Apache-2.0
#include "host/runtime/store/sqlite.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <system_error>

#include "host/runtime/private_file.hpp"

namespace strata {
namespace {

// The folder may be reached by links, which SQLite refuses in all of a path or in none.
std::filesystem::path in_its_folder(const std::filesystem::path& file) {
  std::error_code error;
  const std::filesystem::path folder =
      std::filesystem::canonical(std::filesystem::absolute(file).parent_path(), error);
  return error ? file : folder / file.filename();  // SQLite reports the error
}

}  // namespace

SqliteError::SqliteError(sqlite3* connection, std::string_view doing)
    : std::runtime_error(fmt::format("{}: {} (SQLite code {})", doing, sqlite3_errmsg(connection),
                                     sqlite3_extended_errcode(connection))) {}

SqliteConnection::SqliteConnection(const std::filesystem::path& named) {
  const std::filesystem::path file = in_its_folder(named);
  // SQLite would make it readable for all; its other files get the same mode.
  if (const int made = create_private_file(file); made >= 0) ::close(made);
  sqlite3* connection = nullptr;
  // One thread at a time uses a connection here: SQLite's own mutexes were a fifth of the writer's work.
  constexpr int kFlags =
      SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_NOFOLLOW;
  const int code = sqlite3_open_v2(file.c_str(), &connection, kFlags, nullptr);
  connection_.reset(connection);
  if (code != SQLITE_OK) throw SqliteError(connection, "open " + file.string());
}

void SqliteConnection::execute(const std::string& sql) {
  if (sqlite3_exec(get(), sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) throw SqliteError(get(), sql);
}

void SqliteConnection::show(const std::string& schema, std::span<std::byte> database) {
  constexpr int kNoSuchDatabase = -1;
  if (sqlite3_db_readonly(get(), schema.c_str()) == kNoSuchDatabase)
    execute("ATTACH ':memory:' AS " + schema);
  const auto bytes = static_cast<sqlite3_int64>(database.size());
  auto* const begin = reinterpret_cast<unsigned char*>(database.data());
  if (sqlite3_deserialize(get(), schema.c_str(), begin, bytes, bytes, 0) != SQLITE_OK) {
    throw SqliteError(get(), "show " + schema + " to SQLite");
  }
}

void SqliteConnection::close() {
  if (sqlite3_close(get()) != SQLITE_OK) throw SqliteError(get(), "close");
  static_cast<void>(connection_.release());  // it is closed
}

SqliteStatement::SqliteStatement(SqliteConnection& connection, const std::string& sql)
    : connection_(connection.get()) {
  sqlite3_stmt* statement = nullptr;
  if (sqlite3_prepare_v3(connection_, sql.c_str(), -1, SQLITE_PREPARE_PERSISTENT, &statement, nullptr) !=
      SQLITE_OK) {
    throw SqliteError(connection_, sql);
  }
  statement_.reset(statement);
}

SqliteStatement& SqliteStatement::bind(int parameter, std::int64_t value) {
  check(sqlite3_bind_int64(statement_.get(), parameter, value));
  return *this;
}

SqliteStatement& SqliteStatement::bind(int parameter, double value) {
  check(sqlite3_bind_double(statement_.get(), parameter, value));
  return *this;
}

SqliteStatement& SqliteStatement::bind(int parameter, std::string_view text) {
  check(sqlite3_bind_text64(statement_.get(), parameter, text.data() != nullptr ? text.data() : "",
                            text.size(), SQLITE_STATIC, SQLITE_UTF8));
  return *this;
}

void SqliteStatement::run() {
  while (next()) {
  }
}

bool SqliteStatement::next() {
  const int code = sqlite3_step(statement_.get());
  if (code == SQLITE_ROW) return true;
  if (sqlite3_reset(statement_.get()) != SQLITE_OK)
    throw SqliteError(connection_, sqlite3_sql(statement_.get()));
  return false;
}

std::string SqliteStatement::text(int column) const {
  const auto* characters = reinterpret_cast<const char*>(sqlite3_column_text(statement_.get(), column));
  const auto bytes = static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column));
  return characters != nullptr ? std::string(characters, bytes) : std::string();
}

void SqliteStatement::check(int code) const {
  if (code != SQLITE_OK) throw SqliteError(connection_, sqlite3_sql(statement_.get()));
}

}  // namespace strata
