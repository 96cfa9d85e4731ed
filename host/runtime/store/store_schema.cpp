// SPDX-License-Identifier: Apache-2.0
#include "host/runtime/store/store_schema.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "host/runtime/store/sqlite.hpp"

namespace strata {
namespace {

// The id of a text joins to its row; 0 is the empty text, for things without a name. A gap is identified by
// its table, thread and begin: if it is recorded twice, by a process that was killed in between, it counts
// once.
constexpr const char* kBaseTables = R"sql(
CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS string (id INTEGER PRIMARY KEY, text TEXT);
INSERT OR IGNORE INTO string VALUES (0, '');
CREATE TABLE IF NOT EXISTS table_info (name TEXT PRIMARY KEY, plugin TEXT, help TEXT) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS column_info (
  table_name TEXT, position INTEGER, name TEXT, type TEXT, unit TEXT, help TEXT,
  PRIMARY KEY (table_name, position)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS spool (file TEXT PRIMARY KEY, drained_bytes INTEGER) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS gap (
  table_name TEXT, thread INTEGER, rows INTEGER, begin_ns INTEGER, end_ns INTEGER,
  PRIMARY KEY (table_name, thread, begin_ns)) WITHOUT ROWID;
)sql";

struct View {
  std::array<std::string_view, 2> tables;  // that it joins; the second may be empty
  const char* sql;
};

// Constant, like all that the writer's thread may use first: an exit handler that was registered earlier
// closes the store, and a static object of a later first use would be destroyed by then.
constexpr std::array<View, 4> kViews = {{
    {{"host_step_begin", "host_step_end"},
     R"sql(
CREATE VIEW IF NOT EXISTS step AS
SELECT b.step, b.schedule, b.micro_batches, b.sequence AS begin_sequence, e.sequence AS end_sequence,
       b.monotonic_ns AS begin_ns, e.monotonic_ns AS end_ns, e.optimizer_ran, e.loss, e.tokens
FROM host_step_begin AS b LEFT JOIN host_step_end AS e ON e.step = b.step;
)sql"},
    {{"host_phase_begin", "host_phase_end"},
     R"sql(
CREATE VIEW IF NOT EXISTS phase AS
SELECT b.phase, b.parent, b.kind, name.text AS name, b.inferred, b.step, b.micro_batch,
       b.sequence AS begin_sequence, e.sequence AS end_sequence,
       b.monotonic_ns AS begin_ns, e.monotonic_ns AS end_ns
FROM host_phase_begin AS b LEFT JOIN host_phase_end AS e ON e.phase = b.phase
LEFT JOIN string AS name ON name.id = b.name;
)sql"},
    {{"host_module_begin", "host_module_end"},
     R"sql(
CREATE VIEW IF NOT EXISTS module AS
SELECT b.module, b.parent, b.direction, path.text AS path, type.text AS type, b.thread, b.phase,
       b.sequence AS begin_sequence, e.sequence AS end_sequence,
       b.monotonic_ns AS begin_ns, e.monotonic_ns AS end_ns
FROM host_module_begin AS b LEFT JOIN host_module_end AS e ON e.module = b.module
LEFT JOIN string AS path ON path.id = b.path LEFT JOIN string AS type ON type.id = b.type;
)sql"},
    {{"host_tensor"},
     R"sql(
CREATE VIEW IF NOT EXISTS tensor AS
SELECT t.sequence, t.monotonic_ns, t.thread, t.role, name.text AS name, dtype.text AS dtype,
       shape.text AS shape, t.device_type, t.device_index, t.address, t.storage_bytes, t.owner_address, t.phase,
       t.is_frozen
FROM host_tensor AS t LEFT JOIN string AS name ON name.id = t.name
LEFT JOIN string AS dtype ON dtype.id = t.dtype LEFT JOIN string AS shape ON shape.id = t.shape;
)sql"},
}};

}  // namespace

void create_base_tables(SqliteConnection& connection) {
  connection.execute(kBaseTables);
}

void create_views(SqliteConnection& connection) {
  SqliteStatement find(connection, "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = ?");
  const auto exists = [&find](std::string_view table) {
    if (table.empty()) return true;
    find.bind(1, table).next();
    const bool found = find.integer(0) != 0;
    find.run();
    return found;
  };
  for (const View& view : kViews) {
    if (std::all_of(view.tables.begin(), view.tables.end(), exists)) connection.execute(view.sql);
  }
}

}  // namespace strata
