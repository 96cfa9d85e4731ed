// SPDX-License-Identifier: Apache-2.0
#include "host/runtime/spool_rows.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <new>

namespace strata {
namespace {

// With spaces: no plugin's table has such a name.
std::string module_name(std::uint32_t handle) {
  return fmt::format("spool rows {}", handle);
}

template <typename T>
T field_at(const std::byte* place) noexcept {
  T value;
  std::memcpy(&value, place, sizeof value);
  return value;
}

}  // namespace

// What SQLite calls, with its signatures. Nothing here throws into it.
struct SpoolRows::Access {
  struct View : sqlite3_vtab {
    explicit View(const SpoolRows* shown) : sqlite3_vtab(), rows(shown) {}
    const SpoolRows* rows;
  };

  struct Cursor : sqlite3_vtab_cursor {
    explicit Cursor(const SpoolRows* shown) : sqlite3_vtab_cursor(), rows(shown) {}
    const SpoolRows* rows;
    const Field* fields = nullptr;
    const std::byte* const* row = nullptr;
    const std::byte* const* end = nullptr;
  };

  static Cursor& at(sqlite3_vtab_cursor* cursor) noexcept { return *static_cast<Cursor*>(cursor); }

  static int connect(sqlite3* connection, void* rows, int, const char* const*, sqlite3_vtab** view, char**) {
    const auto& shown = *static_cast<const SpoolRows*>(rows);
    const int code = sqlite3_declare_vtab(connection, shown.schema_.c_str());
    if (code != SQLITE_OK) return code;
    *view = new (std::nothrow) View(&shown);
    return *view != nullptr ? SQLITE_OK : SQLITE_NOMEM;
  }

  static int disconnect(sqlite3_vtab* view) {
    const std::unique_ptr<View> owned(static_cast<View*>(view));
    return SQLITE_OK;
  }

  static int best_index(sqlite3_vtab*, sqlite3_index_info*) { return SQLITE_OK; }

  static int open(sqlite3_vtab* view, sqlite3_vtab_cursor** cursor) {
    auto* opened = new (std::nothrow) Cursor(static_cast<View*>(view)->rows);
    *cursor = opened;
    return opened != nullptr ? SQLITE_OK : SQLITE_NOMEM;
  }

  static int close(sqlite3_vtab_cursor* cursor) {
    const std::unique_ptr<Cursor> owned(&at(cursor));
    return SQLITE_OK;
  }

  static int filter(sqlite3_vtab_cursor* cursor, int, const char*, int, sqlite3_value**) {
    Cursor& begun = at(cursor);
    begun.fields = begun.rows->fields_.data();
    begun.row = begun.rows->rows_.data();
    begun.end = begun.row + begun.rows->rows_.size();
    return SQLITE_OK;
  }

  static int next(sqlite3_vtab_cursor* cursor) {
    ++at(cursor).row;
    return SQLITE_OK;
  }

  static int at_end(sqlite3_vtab_cursor* cursor) { return at(cursor).row == at(cursor).end; }

  static int column(sqlite3_vtab_cursor* cursor, sqlite3_context* result, int index) {
    const Field field = at(cursor).fields[index];
    const std::byte* place = *at(cursor).row + field.offset;
    if (field.kind == Kind::kInteger64) {
      sqlite3_result_int64(result, field_at<std::int64_t>(place));
    } else if (field.kind == Kind::kInteger32) {
      sqlite3_result_int64(result, std::int64_t{field_at<std::uint32_t>(place)});
    } else {
      sqlite3_result_double(result, field_at<double>(place));  // NaN is NULL
    }
    return SQLITE_OK;
  }

  static int row_id(sqlite3_vtab_cursor* cursor, sqlite3_int64* id) {
    *id = at(cursor).row - at(cursor).rows->rows_.data();
    return SQLITE_OK;
  }

  static const sqlite3_module& module() noexcept {
    static constexpr sqlite3_module kModule = [] {
      sqlite3_module module{};
      module.xConnect = connect;
      module.xBestIndex = best_index;
      module.xDisconnect = disconnect;
      module.xOpen = open;
      module.xClose = close;
      module.xFilter = filter;
      module.xNext = next;
      module.xEof = at_end;
      module.xColumn = column;
      module.xRowid = row_id;
      return module;
    }();
    return kModule;
  }
};

SpoolRows::SpoolRows(SqliteConnection& connection, std::uint32_t handle, const Table& table)
    : handle_(handle), schema_("CREATE TABLE x (") {
  for (const Column& column : table.columns) {
    schema_ += fmt::format("{}\"{}\"", fields_.empty() ? "" : ", ", column.name);
    fields_.push_back({kind_of(column.type), column.offset});
  }
  schema_ += ")";
  if (sqlite3_create_module(connection.get(), module_name(handle).c_str(), &Access::module(), this) !=
      SQLITE_OK) {
    throw SqliteError(connection.get(), "show the rows of " + table.name + " to SQLite");
  }
}

SpoolRows::Kind SpoolRows::kind_of(std::uint32_t column_type) noexcept {
  switch (column_type) {
    case STRATA_COLUMN_UINT32:
    case STRATA_COLUMN_STRING:
      return Kind::kInteger32;
    case STRATA_COLUMN_REAL:
      return Kind::kReal;
    default:
      return Kind::kInteger64;  // unsigned ones too, bit for bit
  }
}

std::string SpoolRows::name() const {
  return fmt::format("\"{}\"", module_name(handle_));
}

}  // namespace strata
