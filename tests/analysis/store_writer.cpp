// SPDX-License-Identifier: Apache-2.0
#include "tests/analysis/store_writer.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

#include <array>
#include <cmath>
#include <stdexcept>
#include <variant>
#include <vector>

namespace strata::analysis::testing {
namespace {

constexpr const char* kSchema = R"sql(
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
CREATE TABLE string (id INTEGER PRIMARY KEY, text TEXT);
CREATE TABLE table_info (name TEXT, plugin TEXT, help TEXT);
CREATE TABLE column_info (table_name TEXT, position INTEGER, name TEXT, type TEXT, unit TEXT, help TEXT);
CREATE TABLE spool (file TEXT, drained_bytes INTEGER);
CREATE TABLE gap (table_name TEXT, thread INTEGER, rows INTEGER, begin_ns INTEGER, end_ns INTEGER);
CREATE TABLE host_clock (monotonic_ns INTEGER, realtime_ns INTEGER);
CREATE TABLE host_run_begin (sequence INTEGER, monotonic_ns INTEGER);
CREATE TABLE host_run_ready (sequence INTEGER, monotonic_ns INTEGER);
CREATE TABLE host_run_end (sequence INTEGER, monotonic_ns INTEGER, reason INTEGER);
CREATE TABLE host_step_begin (sequence INTEGER, monotonic_ns INTEGER, step INTEGER, schedule INTEGER,
  micro_batches INTEGER);
CREATE TABLE host_step_end (sequence INTEGER, monotonic_ns INTEGER, step INTEGER, optimizer_ran INTEGER, loss REAL,
  tokens INTEGER);
CREATE TABLE host_phase_begin (sequence INTEGER, monotonic_ns INTEGER, phase INTEGER, parent INTEGER, kind INTEGER,
  name INTEGER, inferred INTEGER, step INTEGER, micro_batch INTEGER);
CREATE TABLE host_phase_end (sequence INTEGER, monotonic_ns INTEGER, phase INTEGER);
CREATE TABLE host_module_begin (sequence INTEGER, monotonic_ns INTEGER, module INTEGER, parent INTEGER,
  direction INTEGER, path INTEGER, type INTEGER, thread INTEGER, phase INTEGER);
CREATE TABLE host_module_end (sequence INTEGER, monotonic_ns INTEGER, module INTEGER);
CREATE TABLE host_tensor (sequence INTEGER, monotonic_ns INTEGER, thread INTEGER, role INTEGER, name INTEGER,
  dtype INTEGER, shape INTEGER, device_type INTEGER, device_index INTEGER, address INTEGER, storage_bytes INTEGER,
  owner_address INTEGER, phase INTEGER, is_frozen INTEGER);
CREATE TABLE allocator_tracer_event (sequence INTEGER, monotonic_ns INTEGER, thread INTEGER, action INTEGER,
  device_type INTEGER, device_index INTEGER, address INTEGER, bytes INTEGER, stream INTEGER, pool INTEGER,
  device_handed_out_bytes INTEGER, phase INTEGER, op INTEGER, module INTEGER);
CREATE TABLE allocator_tracer_op (sequence INTEGER, monotonic_ns INTEGER, thread INTEGER, op INTEGER, parent INTEGER,
  kind INTEGER, name INTEGER, autograd_sequence INTEGER, forward_thread INTEGER, phase INTEGER, module INTEGER);
CREATE TABLE allocator_tracer_saved (sequence INTEGER, monotonic_ns INTEGER, thread INTEGER, action INTEGER,
  saved INTEGER, device_type INTEGER, device_index INTEGER, address INTEGER, storage_bytes INTEGER, phase INTEGER,
  op INTEGER, module INTEGER);
CREATE VIEW step AS SELECT b.step, b.schedule, b.micro_batches, b.sequence AS begin_sequence,
  e.sequence AS end_sequence, b.monotonic_ns AS begin_ns, e.monotonic_ns AS end_ns, e.optimizer_ran, e.loss, e.tokens
  FROM host_step_begin AS b LEFT JOIN host_step_end AS e ON e.step = b.step;
CREATE VIEW phase AS SELECT b.phase, b.parent, b.kind, name.text AS name, b.inferred, b.step, b.micro_batch,
  b.sequence AS begin_sequence, e.sequence AS end_sequence, b.monotonic_ns AS begin_ns, e.monotonic_ns AS end_ns
  FROM host_phase_begin AS b LEFT JOIN host_phase_end AS e ON e.phase = b.phase
  LEFT JOIN string AS name ON name.id = b.name;
CREATE VIEW module AS SELECT b.module, b.parent, b.direction, path.text AS path, type.text AS type, b.thread, b.phase,
  b.sequence AS begin_sequence, e.sequence AS end_sequence, b.monotonic_ns AS begin_ns, e.monotonic_ns AS end_ns
  FROM host_module_begin AS b LEFT JOIN host_module_end AS e ON e.module = b.module
  LEFT JOIN string AS path ON path.id = b.path LEFT JOIN string AS type ON type.id = b.type;
CREATE VIEW tensor AS SELECT t.sequence, t.monotonic_ns, t.thread, t.role, name.text AS name, dtype.text AS dtype,
  shape.text AS shape, t.device_type, t.device_index, t.address, t.storage_bytes, t.owner_address, t.phase,
  t.is_frozen
  FROM host_tensor AS t LEFT JOIN string AS name ON name.id = t.name
  LEFT JOIN string AS dtype ON dtype.id = t.dtype LEFT JOIN string AS shape ON shape.id = t.shape;
)sql";

constexpr const char* kReportTable =
    "CREATE TABLE torch_memory_report (sequence INTEGER, thread INTEGER, device_type INTEGER,"
    "  device_index INTEGER, address INTEGER, bytes INTEGER, allocated_bytes INTEGER)";

class Database {
 public:
  explicit Database(const std::filesystem::path& path) {
    if (sqlite3_open(path.c_str(), &database_) != SQLITE_OK)
      throw std::runtime_error(sqlite3_errmsg(database_));
  }
  ~Database() { sqlite3_close(database_); }
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  void execute(const std::string& sql) {
    char* message = nullptr;
    if (sqlite3_exec(database_, sql.c_str(), nullptr, nullptr, &message) == SQLITE_OK) return;
    const std::string problem = message ? message : "unknown";
    sqlite3_free(message);
    throw std::runtime_error(problem + ": " + sql);
  }

  sqlite3* get() const { return database_; }

 private:
  sqlite3* database_ = nullptr;
};

using Value = std::variant<std::int64_t, double, std::string_view>;

template <typename Number>
Value value(Number number) {
  return static_cast<std::int64_t>(number);
}

// Rows of one table.
class Insert {
 public:
  Insert(const Database& database, std::string_view table, int columns) {
    std::string marks = "?";
    for (int column = 1; column < columns; ++column) marks += ", ?";
    const std::string sql = fmt::format("INSERT INTO {} VALUES ({})", table, marks);
    if (sqlite3_prepare_v2(database.get(), sql.c_str(), -1, &statement_, nullptr) != SQLITE_OK) {
      throw std::runtime_error(sqlite3_errmsg(database.get()));
    }
  }
  ~Insert() { sqlite3_finalize(statement_); }
  Insert(const Insert&) = delete;
  Insert& operator=(const Insert&) = delete;

  void row(const std::vector<Value>& values) {
    int column = 0;
    for (const Value& value : values) {
      ++column;
      if (const auto* integer = std::get_if<std::int64_t>(&value)) {
        sqlite3_bind_int64(statement_, column, *integer);
      } else if (const auto* real = std::get_if<double>(&value)) {
        sqlite3_bind_double(statement_, column, *real);
      } else {
        const auto text = std::get<std::string_view>(value);
        sqlite3_bind_text(statement_, column, text.data(), static_cast<int>(text.size()), SQLITE_TRANSIENT);
      }
    }
    if (sqlite3_step(statement_) != SQLITE_DONE) throw std::runtime_error("a row was refused");
    sqlite3_reset(statement_);
  }

 private:
  sqlite3_stmt* statement_ = nullptr;
};

// The store has its own ids of texts: here not the indices.
std::int64_t text_id(std::uint32_t text) {
  return text == 0 ? 0 : std::int64_t{text} + 1000;
}

void write_meta(const Database& database, const Recording& run) {
  Insert meta(database, "meta", 2);
  const std::array<std::pair<std::string_view, std::string>, 8> facts{{
      {"schema", "strata.store/1"},
      {"name", run.name},
      {"pid", "7"},
      {"rank", "0"},
      {"world_size", "1"},
      {"first_step", std::to_string(run.first_step)},
      {"last_step", std::to_string(run.last_step)},
      {"state", run.closed ? "closed" : "recovered"},
  }};
  for (const auto& [key, text] : facts) meta.row({key, std::string_view(text)});
  if (run.end != analysis::RunEnd::kKilled) meta.row({"end", to_string(run.end)});
  Insert strings(database, "string", 2);
  for (std::uint32_t text = 0; text < run.texts.all().size(); ++text) {
    const std::string_view characters = run.texts[text];
    strings.row({text_id(text), characters == "(model)" ? "" : characters});
  }
}

void write_structure(const Database& database, const Recording& run) {
  Insert(database, "host_run_begin", 2).row({value(0), value(run.begin_ns)});
  if (run.closed)
    Insert(database, "host_run_end", 3).row({value(1'000'000'000), value(run.end_ns), value(0)});
  Insert step_begin(database, "host_step_begin", 5), step_end(database, "host_step_end", 6);
  for (const StepRow& step : run.steps) {
    step_begin.row(
        {value(step.begin_sequence), value(step.begin_ns), value(step.step), value(step.schedule), value(1)});
    if (step.end_sequence == kNever) continue;
    step_end.row({value(step.end_sequence), value(step.end_ns), value(step.step), value(1), step.loss,
                  value(step.tokens)});
  }
  Insert phase_begin(database, "host_phase_begin", 9), phase_end(database, "host_phase_end", 3);
  for (const PhaseRow& phase : run.phases) {
    phase_begin.row({value(phase.begin_sequence), value(phase.begin_ns), value(phase.ordinal),
                     value(phase.parent), value(phase.kind), text_id(phase.name), value(0), value(phase.step),
                     value(phase.micro_batch)});
    if (phase.end_sequence == kNever) continue;
    phase_end.row({value(phase.end_sequence), value(phase.end_ns), value(phase.ordinal)});
  }
  Insert module_begin(database, "host_module_begin", 9), module_end(database, "host_module_end", 3);
  for (const ModuleRow& module : run.modules) {
    module_begin.row({value(module.begin_sequence), value(0), value(module.ordinal), value(module.parent),
                      value(module.direction), text_id(module.path), value(0), value(1), value(0)});
    if (module.end_sequence != kNever)
      module_end.row({value(module.end_sequence), value(0), value(module.ordinal)});
  }
  Insert tensors(database, "host_tensor", 14);
  for (const TensorRow& tensor : run.tensors) {
    tensors.row({value(tensor.sequence), value(0), value(1), value(tensor.role), text_id(tensor.name),
                 text_id(tensor.form.dtype), text_id(tensor.form.shape), value(tensor.device.type),
                 value(tensor.device.index), value(tensor.address), value(0), value(tensor.owner_address),
                 value(0), value(tensor.is_frozen ? 1 : 0)});
  }
}

void write_trace(Database& database, const Recording& run) {
  Insert events(database, "allocator_tracer_event", 14);
  for (const MemoryRow& row : run.memory) {
    events.row({value(row.sequence), value(row.ns), value(row.thread), value(row.action),
                value(row.device.type), value(row.device.index), value(row.address), value(row.bytes),
                value(0), value(0), value(row.handed_out_bytes), value(row.phase), value(row.op),
                value(row.module)});
  }
  Insert ops(database, "allocator_tracer_op", 11);
  for (const OpRow& op : run.ops) {
    ops.row({value(op.sequence), value(0), value(op.thread), value(op.ordinal), value(op.parent),
             value(op.kind), text_id(op.name), value(op.autograd_sequence), value(op.forward_thread),
             value(0), value(op.module)});
  }
  Insert saved(database, "allocator_tracer_saved", 12);
  for (const SavedTensorRow& row : run.saved) {
    saved.row({value(row.sequence), value(0), value(1), value(row.action), value(row.saved),
               value(row.device.type), value(row.device.index), value(row.address), value(0), value(0),
               value(0), value(row.module)});
  }
  if (!run.cross_checked) return;
  database.execute(kReportTable);
  Insert reports(database, "torch_memory_report", 7);
  for (const MemoryReportRow& row : run.reports) {
    reports.row({value(row.sequence), value(row.thread), value(row.device.type), value(row.device.index),
                 value(row.address), value(row.bytes), value(row.allocated_bytes)});
  }
}

}  // namespace

std::filesystem::path write_store(const std::filesystem::path& directory, const Recording& run, int rank,
                                  int pid) {
  const std::filesystem::path folder = directory / fmt::format("rank{}", rank);
  std::filesystem::create_directories(folder);
  std::filesystem::path path = folder / fmt::format("{}.sqlite", pid);
  Database database(path);
  database.execute("PRAGMA synchronous = OFF");
  database.execute("BEGIN");
  database.execute(kSchema);
  write_meta(database, run);
  write_structure(database, run);
  write_trace(database, run);
  database.execute("COMMIT");
  return path;
}

void run_sql(const std::filesystem::path& store, const std::string& sql) {
  Database(store).execute(sql);
}

}  // namespace strata::analysis::testing
