// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <string>

#include "host/analysis/time/device_times.hpp"
#include "host/analysis/time/time_tables.hpp"

namespace strata::analysis {
namespace {

class PhaseTable {
 public:
  explicit PhaseTable(const RunTimes& times) : times_(times), row_of_(times.run.phases.size(), kNoRow) {
    for (std::uint32_t phase = 0; phase < row_of_.size(); ++phase) add(phase);
  }

  void add_operators() {
    std::vector<Interval> intervals;
    for (const OpSpan& op : times_.ops) {
      intervals.push_back({op.begin_ns, op.end_ns});
      for_each_around(op.phase, [&](PhaseTime& row) { row.thread_ns += op.self_ns; });
    }
    const Intervals covered = united(std::move(intervals));
    for_each_phase([&](PhaseTime& row, Interval phase) { row.operator_ns += covered_ns(covered, phase); });
  }

  void add_devices() {
    const auto& activities = times_.run.time.activities;
    std::vector<std::uint32_t> devices;
    for (std::size_t index = 0; index < activities.size(); ++index) {
      const ActivityRow& activity = activities[index];
      if (!is_device_work(activity.kind)) continue;
      if (std::ranges::find(devices, activity.device) == devices.end()) devices.push_back(activity.device);
      for_each_around(times_.places[index].phase,
                      [&](PhaseTime& row) { row.device_ns += activity.end_ns - activity.begin_ns; });
    }
    for (const std::uint32_t device : devices) {
      const Intervals working = busy(activities, device);
      for_each_phase([&](PhaseTime& row, Interval phase) {
        row.device_idle_ns += phase.length_ns() - covered_ns(working, phase);
      });
    }
  }

  std::vector<PhaseTime> take() && { return std::move(rows_); }

 private:
  void add(std::uint32_t phase) {
    const std::int64_t step = times_.run.phases[phase].step;
    if (step < times_.first_step || step > times_.last_step) return;
    const auto around = times_.moments.around(phase);
    const std::uint32_t outer = around ? row_of_[*around] : kNoRow;
    const std::string& name = times_.run.texts[times_.run.phases[phase].name];
    const std::string path = outer == kNoRow ? name : rows_[outer].path + "/" + name;
    const auto [found, is_new] = row_of_path_.emplace(path, rows_.size());
    if (is_new) rows_.push_back({.path = path, .depth = outer == kNoRow ? 0 : rows_[outer].depth + 1});
    row_of_[phase] = static_cast<std::uint32_t>(found->second);
    PhaseTime& row = rows_[found->second];
    const std::int64_t wall_ns = times_.moments.phase(phase).length_ns();
    ++row.count;
    row.wall_ns += wall_ns;
    row.self_ns += wall_ns;
    if (outer != kNoRow) rows_[outer].self_ns = std::max<std::int64_t>(0, rows_[outer].self_ns - wall_ns);
  }

  // The phase's row and those of the phases around it.
  template <typename Use>
  void for_each_around(std::uint32_t phase, Use use) {
    for (auto at = phase == kNoRow ? std::nullopt : std::optional(phase); at; at = times_.moments.around(*at))
      if (row_of_[*at] != kNoRow) use(rows_[row_of_[*at]]);
  }

  template <typename Use>
  void for_each_phase(Use use) {
    for (std::uint32_t phase = 0; phase < row_of_.size(); ++phase)
      if (row_of_[phase] != kNoRow) use(rows_[row_of_[phase]], times_.moments.phase(phase));
  }

  const RunTimes& times_;
  std::vector<std::uint32_t> row_of_;  // of each phase; kNoRow: outside of the window
  std::map<std::string, std::size_t> row_of_path_;
  std::vector<PhaseTime> rows_;
};

}  // namespace

std::vector<PhaseTime> phase_times(const RunTimes& times) {
  PhaseTable table(times);
  table.add_operators();
  table.add_devices();
  std::vector<PhaseTime> rows = std::move(table).take();
  // Nested phases follow their parent, in order of appearance.
  std::vector<PhaseTime> ordered;
  const auto place = [&](const auto& self, const std::string& prefix, std::uint32_t depth) -> void {
    for (const PhaseTime& row : rows) {
      if (row.depth != depth || !row.path.starts_with(prefix)) continue;
      ordered.push_back(row);
      self(self, row.path + "/", depth + 1);
    }
  };
  place(place, "", 0);
  return ordered;
}

}  // namespace strata::analysis
