// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <unordered_map>

#include "host/analysis/time/time_tables.hpp"

namespace strata::analysis {
namespace {

// An operator that one of its own name called adds nothing to the total.
bool is_within_its_name(const std::vector<OpSpan>& ops, const OpSpan& op) {
  for (std::uint32_t at = op.parent; at != kNoRow; at = ops[at].parent)
    if (ops[at].name == op.name) return true;
  return false;
}

}  // namespace

std::vector<OpTime> op_times(const RunTimes& times) {
  std::unordered_map<std::uint64_t, std::size_t> row_of;  // by name and kind
  std::vector<OpTime> rows;
  for (std::size_t index = 0; index < times.ops.size(); ++index) {
    const OpSpan& op = times.ops[index];
    if (!times.is_of_window(op)) continue;
    const auto [found, is_new] = row_of.emplace(std::uint64_t{op.name} << 32 | op.kind, rows.size());
    if (is_new) rows.push_back({.name = op.name, .kind = op.kind});
    OpTime& row = rows[found->second];
    ++row.count;
    row.self_ns += op.self_ns;
    if (!is_within_its_name(times.ops, op)) row.total_ns += op.length_ns();
    row.device_ns += times.device_ns[index];
  }
  std::ranges::stable_sort(rows, std::greater{}, [](const OpTime& row) { return row.self_ns; });
  return rows;
}

std::vector<StepTime> step_times(const RunTimes& times) {
  std::vector<Interval> of_operators, of_devices;
  for (const OpSpan& op : times.ops) of_operators.push_back({op.begin_ns, op.end_ns});
  for (const ActivityRow& activity : times.run.time.activities)
    if (is_device_work(activity.kind)) of_devices.push_back({activity.begin_ns, activity.end_ns});
  const Intervals operators = united(std::move(of_operators)), devices = united(std::move(of_devices));
  std::vector<StepTime> steps;
  std::unordered_map<std::uint32_t, std::size_t> row_of;
  for (std::uint32_t step = 0; step < times.run.steps.size(); ++step) {
    if (!times.is_of_window(step)) continue;
    const Interval when = times.moments.step(step);
    row_of[step] = steps.size();
    steps.push_back({.step = times.run.steps[step].step,
                     .wall_ns = when.length_ns(),
                     .operator_ns = covered_ns(operators, when),
                     .device_ns = covered_ns(devices, when)});
  }
  for (const OpSpan& op : times.ops)
    if (times.is_of_window(op)) ++steps[row_of[op.step]].operators;
  return steps;
}

}  // namespace strata::analysis
