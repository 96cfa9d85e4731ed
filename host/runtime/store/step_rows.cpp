// SPDX-License-Identifier: Apache-2.0
#include "host/runtime/store/step_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

namespace strata {
namespace {

constexpr std::string_view kEvents = "allocator_tracer_event";
constexpr std::string_view kOps = "allocator_tracer_op";
constexpr std::string_view kSaves = "allocator_tracer_saved";
constexpr std::string_view kTensors = "host_tensor";
// The tables whose relations are known to the thinner; all have a column `sequence`.
constexpr std::array kKnown = {kEvents,
                               kOps,
                               kSaves,
                               kTensors,
                               std::string_view("host_module_begin"),
                               std::string_view("host_module_end"),
                               std::string_view("host_step_end"),
                               std::string_view("host_phase_begin"),
                               std::string_view("host_phase_end")};
constexpr std::array kPhases = {std::string_view("host_phase_begin"), std::string_view("host_phase_end")};

bool has_column(const Table& table, std::string_view name) {
  return std::ranges::any_of(table.columns, [&](const Column& column) { return column.name == name; });
}

std::int64_t signed_of(std::uint64_t value) {
  return static_cast<std::int64_t>(value);
}

std::uint64_t bits(const SqliteStatement& row, int column) {
  return static_cast<std::uint64_t>(row.integer(column));
}

std::uint32_t small(const SqliteStatement& row, int column) {
  return static_cast<std::uint32_t>(row.integer(column));
}

std::string within(std::string_view columns, std::string_view table) {
  return fmt::format("SELECT {} FROM \"{}\" WHERE sequence >= ? AND sequence < ? ORDER BY sequence", columns,
                     table);
}

}  // namespace

SqliteStatement& StepRows::statement(const std::string& sql) {
  std::unique_ptr<SqliteStatement>& found = statements_[sql];
  if (!found) found = std::make_unique<SqliteStatement>(connection_, sql);
  return *found;
}

void StepRows::add_table(const Table& table) {
  const auto index = [&](std::string_view column) {
    connection_.execute(
        fmt::format("CREATE INDEX IF NOT EXISTS \"thin_{0}\" ON \"{0}\" (\"{1}\")", table.name, column));
  };
  std::uint32_t thin = table.thin;
  if (std::ranges::find(kKnown, table.name) != kKnown.end()) {
    index("sequence");
    thin = STRATA_THIN_NEVER;
  } else if ((thin == STRATA_THIN_MOMENT || thin == STRATA_THIN_OF_MEMORY) && has_column(table, "sequence")) {
    index("sequence");
  } else if (thin == STRATA_THIN_SPAN && has_column(table, "begin_ns") && has_column(table, "end_ns")) {
    index("end_ns");
    last_span_ = table.name;
  } else if (thin == STRATA_THIN_PART && !last_span_.empty()) {
    index(table.columns.front().name);
    parts_.push_back({table.name, last_span_, table.columns.front().name});
  } else {
    thin = STRATA_THIN_NEVER;
  }
  tables_.insert_or_assign(table.name, thin);
}

std::vector<StepBegin> StepRows::steps_after(StepZone zone) {
  std::vector<StepBegin> steps;
  if (!has("host_step_begin")) return steps;
  SqliteStatement& find = statement(
      "SELECT rowid, sequence, monotonic_ns, step, schedule FROM host_step_begin WHERE rowid > ? ORDER BY "
      "rowid");
  find.bind(1, signed_of(zone));
  while (find.next())
    steps.push_back({bits(find, 0), bits(find, 1), find.integer(2), find.integer(3), small(find, 4)});
  return steps;
}

std::optional<StepBegin> StepRows::step(StepZone zone) {
  SqliteStatement& find =
      statement("SELECT rowid, sequence, monotonic_ns, step, schedule FROM host_step_begin WHERE rowid = ?");
  find.bind(1, signed_of(zone));
  std::optional<StepBegin> step;
  while (find.next())
    step = StepBegin{bits(find, 0), bits(find, 1), find.integer(2), find.integer(3), small(find, 4)};
  return step;
}

std::optional<StepBegin> StepRows::next_step(StepZone zone) {
  SqliteStatement& find = statement(
      "SELECT rowid, sequence, monotonic_ns, step, schedule FROM host_step_begin WHERE rowid > ? ORDER BY "
      "rowid LIMIT 1");
  find.bind(1, signed_of(zone));
  std::optional<StepBegin> step;
  while (find.next())
    step = StepBegin{bits(find, 0), bits(find, 1), find.integer(2), find.integer(3), small(find, 4)};
  return step;
}

LedgerRows StepRows::ledger_rows(const StepInterval& step) {
  LedgerRows rows;
  const auto each = [&](std::string_view table, std::string_view columns, auto use) {
    if (!has(table)) return;
    SqliteStatement& find = statement(within(columns, table));
    find.bind(1, signed_of(step.begin_sequence)).bind(2, signed_of(step.end_sequence));
    while (find.next()) use(find);
  };
  std::set<LedgerDevice> devices;
  each(kEvents,
       "rowid, sequence, monotonic_ns, action, device_type, device_index, address, bytes, "
       "device_handed_out_bytes, op, module",
       [&](const SqliteStatement& row) {
         rows.events.push_back({row.integer(0),
                                bits(row, 1),
                                row.integer(2),
                                small(row, 3),
                                {small(row, 4), small(row, 5)},
                                bits(row, 6),
                                bits(row, 7),
                                bits(row, 8),
                                bits(row, 9),
                                small(row, 10)});
         devices.insert(rows.events.back().device);
       });
  each(kTensors, "rowid, sequence, role, device_type, device_index, address",
       [&](const SqliteStatement& row) {
         rows.tensors.push_back(
             {row.integer(0), bits(row, 1), small(row, 2), {small(row, 3), small(row, 4)}, bits(row, 5)});
       });
  each(kSaves, "rowid, sequence, action, saved, device_type, device_index, address, module",
       [&](const SqliteStatement& row) {
         rows.saves.push_back({row.integer(0),
                               bits(row, 1),
                               small(row, 2),
                               bits(row, 3),
                               {small(row, 4), small(row, 5)},
                               bits(row, 6),
                               small(row, 7)});
       });
  if (devices.empty()) return rows;
  SqliteStatement& next = statement(
      "SELECT device_type, device_index, device_handed_out_bytes FROM allocator_tracer_event WHERE sequence "
      ">= ? "
      "ORDER BY sequence LIMIT 1000");
  next.bind(1, signed_of(step.end_sequence));
  while (next.next()) {
    const LedgerDevice device{small(next, 0), small(next, 1)};
    if (devices.erase(device) > 0) rows.next_handed_out[device] = bits(next, 2);
  }
  return rows;
}

std::vector<OpLink> StepRows::ops(const StepInterval& step) {
  std::vector<OpLink> ops;
  if (!has(kOps)) return ops;
  SqliteStatement& find =
      statement(within("rowid, op, parent, forward_thread, autograd_sequence, kind, module", kOps));
  find.bind(1, signed_of(step.begin_sequence)).bind(2, signed_of(step.end_sequence));
  while (find.next())
    ops.push_back({find.integer(0), bits(find, 1), bits(find, 2), bits(find, 3), find.integer(4),
                   small(find, 5), small(find, 6)});
  return ops;
}

std::unordered_map<std::uint32_t, ModuleLink> StepRows::modules(const StepInterval& step) {
  std::unordered_map<std::uint32_t, ModuleLink> modules;
  if (!has("host_module_begin") || !has("host_module_end")) return modules;
  SqliteStatement& begins = statement(within("rowid, module, parent", "host_module_begin"));
  begins.bind(1, signed_of(step.begin_sequence)).bind(2, signed_of(step.end_sequence));
  while (begins.next()) modules[small(begins, 1)] = {begins.integer(0), 0, small(begins, 2)};
  SqliteStatement& ends = statement(within("rowid, module", "host_module_end"));
  ends.bind(1, signed_of(step.begin_sequence)).bind(2, signed_of(step.end_sequence));
  while (ends.next()) modules[small(ends, 1)].end_row = ends.integer(0);
  return modules;
}

std::uint64_t StepRows::count_structure(const StepInterval& step) {
  std::uint64_t rows = 2;
  for (const std::string_view table : kPhases) {
    if (!has(table)) continue;
    SqliteStatement& count =
        statement(fmt::format("SELECT count(*) FROM {} WHERE sequence >= ? AND sequence < ?", table));
    count.bind(1, signed_of(step.begin_sequence)).bind(2, signed_of(step.end_sequence));
    while (count.next()) rows += bits(count, 0);
  }
  return rows;
}

void StepRows::run_counted(std::string_view table, SqliteStatement& statement) {
  statement.run();
  deleted_[std::string(table)] += sqlite3_changes(connection_.get());
}

// Merges neighbours: most rows of a step are one interval of the table.
void StepRows::erase(std::string_view table, std::vector<std::int64_t> rows) {
  if (rows.empty()) return;
  std::ranges::sort(rows);
  SqliteStatement& remove = statement(fmt::format("DELETE FROM \"{}\" WHERE rowid BETWEEN ? AND ?", table));
  std::int64_t total = 0;
  for (std::size_t first = 0; first < rows.size();) {
    std::size_t last = first;
    while (last + 1 < rows.size() && rows[last + 1] <= rows[last] + 1) ++last;
    remove.bind(1, rows[first]).bind(2, rows[last]).run();
    total += sqlite3_changes(connection_.get());
    first = last + 1;
  }
  deleted_[std::string(table)] += total;
}

void StepRows::make_stubs(const std::vector<std::int64_t>& events) {
  if (events.empty()) return;
  SqliteStatement& clear = statement(
      "UPDATE allocator_tracer_event SET action = 0, address = 0, bytes = 0, stream = 0, pool = 0, op = 0, "
      "module = 0 WHERE rowid = ?");
  for (const std::int64_t row : events) clear.bind(1, row).run();
}

void StepRows::erase_moments(const StepInterval& step) {
  for (const auto& [table, thin] : tables_) {
    if (thin != STRATA_THIN_MOMENT) continue;
    SqliteStatement& remove =
        statement(fmt::format("DELETE FROM \"{}\" WHERE sequence >= ? AND sequence < ?", table));
    remove.bind(1, signed_of(step.begin_sequence)).bind(2, signed_of(step.end_sequence));
    run_counted(table, remove);
  }
}

void StepRows::erase_said_of_memory(const StepInterval& step, const std::unordered_set<std::uint64_t>& kept) {
  for (const auto& [table, thin] : tables_) {
    if (thin != STRATA_THIN_OF_MEMORY) continue;
    SqliteStatement& find = statement(within("rowid, sequence", table));
    find.bind(1, signed_of(step.begin_sequence)).bind(2, signed_of(step.end_sequence));
    std::vector<std::int64_t> rows;
    while (find.next()) {
      if (!kept.contains(bits(find, 1))) rows.push_back(find.integer(0));
    }
    erase(table, std::move(rows));
  }
}

void StepRows::erase_said_of_event(std::uint64_t sequence) {
  for (const auto& [table, thin] : tables_) {
    if (thin != STRATA_THIN_OF_MEMORY) continue;
    SqliteStatement& remove = statement(fmt::format("DELETE FROM \"{}\" WHERE sequence = ?", table));
    remove.bind(1, signed_of(sequence));
    run_counted(table, remove);
  }
}

void StepRows::erase_spans(const StepInterval& step) {
  for (const Part& part : parts_) {
    SqliteStatement& remove = statement(fmt::format(
        "DELETE FROM \"{0}\" WHERE \"{2}\" IN (SELECT \"{2}\" FROM \"{1}\" WHERE end_ns >= ? AND end_ns < ?)",
        part.table, part.parent, part.key));
    remove.bind(1, step.begin_ns).bind(2, step.end_ns);
    run_counted(part.table, remove);
  }
  for (const auto& [table, thin] : tables_) {
    if (thin != STRATA_THIN_SPAN) continue;
    SqliteStatement& remove =
        statement(fmt::format("DELETE FROM \"{}\" WHERE end_ns >= ? AND end_ns < ?", table));
    remove.bind(1, step.begin_ns).bind(2, step.end_ns);
    run_counted(table, remove);
  }
}

// A phase that continues in the next step stays.
void StepRows::erase_structure(const StepBegin& step, const StepInterval& interval) {
  std::map<std::int64_t, std::int64_t> begun;  // phases, to their row
  std::vector<std::int64_t> begins, ends;
  const auto each_phase = [&](std::string_view table, auto use) {
    if (!has(table)) return;
    SqliteStatement& find = statement(within("rowid, phase", table));
    find.bind(1, signed_of(interval.begin_sequence)).bind(2, signed_of(interval.end_sequence));
    while (find.next()) use(find.integer(1), find.integer(0));
  };
  each_phase(kPhases[0], [&](std::int64_t phase, std::int64_t row) { begun[phase] = row; });
  each_phase(kPhases[1], [&](std::int64_t phase, std::int64_t row) {
    const auto begin = begun.find(phase);
    if (begin == begun.end()) return;
    begins.push_back(begin->second);
    ends.push_back(row);
  });
  erase(kPhases[0], std::move(begins));
  erase(kPhases[1], std::move(ends));
  SqliteStatement& end = statement("DELETE FROM host_step_end WHERE sequence >= ? AND sequence < ?");
  end.bind(1, signed_of(interval.begin_sequence)).bind(2, signed_of(interval.end_sequence));
  run_counted("host_step_end", end);
  erase("host_step_begin", {signed_of(step.zone)});
}

void StepRows::save_counts() {
  SqliteStatement& add = statement(
      "INSERT INTO thinned_rows VALUES (?1, ?2) ON CONFLICT(table_name) DO UPDATE SET rows = rows + ?2");
  for (const auto& [table, rows] : deleted_) {
    if (rows > 0) add.bind(1, table).bind(2, rows).run();
  }
  deleted_.clear();
}

}  // namespace strata
