// SPDX-License-Identifier: Apache-2.0
#include "host/runtime/store/thinned_steps.hpp"

#include <algorithm>
#include <iterator>

namespace strata {
namespace {

constexpr const char* kTables = R"sql(
CREATE TABLE IF NOT EXISTS thinned (
  first_step INTEGER, last_step INTEGER, steps INTEGER, begin_sequence INTEGER PRIMARY KEY, end_sequence INTEGER,
  begin_ns INTEGER, end_ns INTEGER);
CREATE TABLE IF NOT EXISTS thinned_step (
  begin_sequence INTEGER, step INTEGER, device_type INTEGER, device_index INTEGER, peak_allocated_bytes INTEGER,
  peak_reserved_bytes INTEGER, peak_sequence INTEGER, peak_ns INTEGER,
  PRIMARY KEY (begin_sequence, device_type, device_index)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS thinned_rows (table_name TEXT PRIMARY KEY, rows INTEGER) WITHOUT ROWID;
)sql";

SqliteConnection& with_tables(SqliteConnection& connection) {
  connection.execute(kTables);
  return connection;
}

std::int64_t signed_bits(std::uint64_t value) {
  return static_cast<std::int64_t>(value);
}

}  // namespace

ThinnedSteps::ThinnedSteps(SqliteConnection& connection)
    : insert_peak_(with_tables(connection),
                   "INSERT OR REPLACE INTO thinned_step VALUES (?, ?, ?, ?, ?, ?, ?, ?)"),
      delete_peaks_(connection, "DELETE FROM thinned_step WHERE begin_sequence = ?"),
      clear_(connection, "DELETE FROM thinned"),
      insert_(connection, "INSERT INTO thinned VALUES (?, ?, ?, ?, ?, ?, ?)") {}

void ThinnedSteps::add(const StepBegin& step, const StepInterval& interval,
                       const std::vector<LedgerPeak>& peaks) {
  for (const LedgerPeak& peak : peaks) {
    insert_peak_.bind(1, signed_bits(step.sequence)).bind(2, step.step);
    insert_peak_.bind(3, std::int64_t{peak.device.type}).bind(4, std::int64_t{peak.device.index});
    insert_peak_.bind(5, signed_bits(peak.allocated_bytes)).bind(6, signed_bits(peak.reserved_bytes));
    insert_peak_.bind(7, signed_bits(peak.sequence)).bind(8, peak.ns).run();
  }
  changed_ = true;
  Run run{step.zone, step.step, step.step, interval};
  StepZone first = step.zone;
  if (const auto next = runs_.find(step.zone + 1); next != runs_.end()) {
    run.last = next->second.last;
    run.last_step = next->second.last_step;
    run.interval.end_sequence = next->second.interval.end_sequence;
    run.interval.end_ns = next->second.interval.end_ns;
    runs_.erase(next);
  }
  if (const auto after = runs_.lower_bound(step.zone); after != runs_.begin()) {
    if (const auto before = std::prev(after); before->second.last + 1 == step.zone) {
      first = before->first;
      run.first_step = before->second.first_step;
      run.interval.begin_sequence = before->second.interval.begin_sequence;
      run.interval.begin_ns = before->second.interval.begin_ns;
    }
  }
  runs_.insert_or_assign(first, run);
}

bool ThinnedSteps::contains(StepZone zone) const {
  const auto after = runs_.upper_bound(zone);
  return after != runs_.begin() && zone <= std::prev(after)->second.last;
}

void ThinnedSteps::forget_peaks(const StepBegin& step) {
  delete_peaks_.bind(1, signed_bits(step.sequence)).run();
}

void ThinnedSteps::save() {
  if (!changed_) return;
  clear_.run();
  for (const auto& [first, run] : runs_) {
    insert_.bind(1, run.first_step).bind(2, run.last_step);
    insert_.bind(3, signed_bits(run.last - first + 1));
    insert_.bind(4, signed_bits(run.interval.begin_sequence)).bind(5, signed_bits(run.interval.end_sequence));
    insert_.bind(6, run.interval.begin_ns).bind(7, run.interval.end_ns).run();
  }
  changed_ = false;
}

}  // namespace strata
