// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/reading/store_file.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

#include <cmath>
#include <limits>

#include "host/analysis/recording/run_error.hpp"

namespace strata::analysis {
namespace {

// SQLite's escapes for a path inside a file: URI.
std::string uri_of(const std::filesystem::path& path, bool immutable) {
  std::string uri = "file:";
  for (const char character : std::filesystem::absolute(path).string()) {
    if (character == '?' || character == '#' || character == '%') {
      uri += fmt::format("%{:02x}", static_cast<unsigned char>(character));
    } else {
      uri += character;
    }
  }
  return uri + (immutable ? "?mode=ro&immutable=1" : "?mode=ro");
}

}  // namespace

std::int64_t Row::integer(int column) const {
  if (sqlite3_column_type(statement_, column) != SQLITE_INTEGER) refuse(column, "an integer");
  return sqlite3_column_int64(statement_, column);
}

std::uint32_t Row::small(int column) const {
  const std::int64_t value = integer(column);
  if (value < 0 || value > std::numeric_limits<std::uint32_t>::max()) {
    refuse(column, "an integer from 0 to 4294967295");
  }
  return static_cast<std::uint32_t>(value);
}

double Row::real(int column) const {
  switch (sqlite3_column_type(statement_, column)) {
    case SQLITE_NULL:
      return std::nan("");
    case SQLITE_INTEGER:
    case SQLITE_FLOAT:
      return sqlite3_column_double(statement_, column);
    default:
      refuse(column, "a number");
  }
}

std::string_view Row::text(int column) const {
  if (sqlite3_column_type(statement_, column) != SQLITE_TEXT) refuse(column, "a text");
  const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
  if (text == nullptr) refuse(column, "a text");
  return {text, static_cast<std::size_t>(sqlite3_column_bytes(statement_, column))};
}

void Row::refuse(int column, std::string_view expected) const {
  const auto* value = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
  throw RunError(fmt::format(
      "{}: column {} contains '{}' instead of {}; the store is damaged or was not written by Strata", place_,
      sqlite3_column_name(statement_, column), value ? value : "NULL", expected));
}

void StoreFile::Close::operator()(sqlite3* database) const {
  sqlite3_close(database);
}

StoreFile::StoreFile(std::filesystem::path path) : path_(std::move(path)) {
  // A store in WAL mode in a folder that we may not write to opens only as immutable.
  if (!open(false) && !open(true)) fail("cannot be opened as a run store");
}

bool StoreFile::open(bool immutable) {
  sqlite3* database = nullptr;
  const int opened = sqlite3_open_v2(uri_of(path_, immutable).c_str(), &database,
                                     SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, nullptr);
  database_.reset(database);
  if (opened != SQLITE_OK) return false;
  sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_busy_timeout(database, 5000);
  return sqlite3_exec(database, "PRAGMA cell_size_check = ON; SELECT count(*) FROM sqlite_master", nullptr,
                      nullptr, nullptr) == SQLITE_OK;
}

bool StoreFile::has_table(std::string_view table) const {
  sqlite3_stmt* raw = nullptr;
  if (sqlite3_prepare_v2(database_.get(), "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", -1,
                         &raw, nullptr) != SQLITE_OK) {
    fail("cannot list its tables");
  }
  const auto finalize = [](sqlite3_stmt* statement) { sqlite3_finalize(statement); };
  const std::unique_ptr<sqlite3_stmt, decltype(finalize)> statement(raw, finalize);
  sqlite3_bind_text(raw, 1, table.data(), static_cast<int>(table.size()), SQLITE_TRANSIENT);
  const int result = sqlite3_step(raw);
  if (result != SQLITE_ROW && result != SQLITE_DONE) fail("cannot list its tables");
  return result == SQLITE_ROW;
}

void StoreFile::fail(std::string_view doing) const {
  throw RunError(fmt::format("{}: {}: {}. Copy the run again, or record it again", path_.string(), doing,
                             sqlite3_errmsg(database_.get())));
}

void Query::Finalize::operator()(sqlite3_stmt* statement) const {
  sqlite3_finalize(statement);
}

Query::Query(const StoreFile& file, std::string_view table, std::initializer_list<std::string_view> columns)
    : file_(file),
      place_(fmt::format("{}: table {}", file.path().string(), table)),
      statement_(prepare(file, table, {columns.begin(), columns.size()}, {})),
      row_(statement_.get(), place_) {}

Query::Query(const StoreFile& file, std::string_view table, std::span<const std::string_view> columns,
             RowsAfter after)
    : file_(file),
      place_(fmt::format("{}: table {}", file.path().string(), table)),
      statement_(prepare(file, table, columns, after)),
      row_(statement_.get(), place_) {}

std::unique_ptr<sqlite3_stmt, Query::Finalize> Query::prepare(const StoreFile& file, std::string_view table,
                                                              std::span<const std::string_view> columns,
                                                              std::optional<RowsAfter> after) {
  // Brackets, because SQLite takes an unknown name in double quotes for a string.
  std::string sql = fmt::format("SELECT [{}] FROM [{}]", fmt::join(columns, "], ["), table);
  if (after) sql += fmt::format(" WHERE rowid > {} ORDER BY rowid LIMIT {}", after->rowid, after->most_rows);
  sqlite3_stmt* statement = nullptr;
  if (sqlite3_prepare_v2(file.database_.get(), sql.c_str(), -1, &statement, nullptr) != SQLITE_OK) {
    file.fail(fmt::format("table {} cannot be read", table));
  }
  return std::unique_ptr<sqlite3_stmt, Finalize>(statement);
}

bool Query::next() {
  const int result = sqlite3_step(statement_.get());
  if (result == SQLITE_ROW) return true;
  if (result != SQLITE_DONE) {
    const std::string_view table = std::string_view(place_).substr(file_.path().string().size() + 2);
    file_.fail(fmt::format("{} cannot be read to its end", table));
  }
  return false;
}

}  // namespace strata::analysis
