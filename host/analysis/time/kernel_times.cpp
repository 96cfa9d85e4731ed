// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <unordered_map>

#include "host/analysis/stacks/function_name.hpp"
#include "host/analysis/time/kernel_names.hpp"
#include "host/analysis/time/time_tables.hpp"
#include "strata/ext/activity.h"

namespace strata::analysis {

std::vector<KernelTime> kernel_times(const RunTimes& times) {
  struct Row {
    KernelTime time;
    std::unordered_map<std::uint32_t, std::int64_t> by_op;
  };
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>, Row> rows;
  const auto& activities = times.run.time.activities;
  for (std::size_t index = 0; index < activities.size(); ++index) {
    const ActivityRow& activity = activities[index];
    const ActivityPlace& place = times.places[index];
    if (!is_device_work(activity.kind) || !times.is_of_window(activity, place)) continue;
    const bool is_copy = activity.kind == STRATA_ACTIVITY_COPY;
    const bool is_kernel = activity.kind == STRATA_ACTIVITY_KERNEL || activity.kind == STRATA_ACTIVITY_GRAPH;
    Row& row =
        rows[{activity.device, activity.kind, is_copy ? activity.detail : 0, is_kernel ? activity.name : 0}];
    KernelTime& time = row.time;
    const std::int64_t length_ns = activity.end_ns - activity.begin_ns;
    if (time.count++ == 0) {
      time.full_name = activity_name(activity, times.run.texts[activity.name]);
      // A name without parameters is not a C++ name: "cublasSgemm_v2 fp32 nt 64x64x64" has no return type to
      // cut.
      const bool is_function =
          activity.kind == STRATA_ACTIVITY_KERNEL && time.full_name.find('(') != std::string::npos;
      time.name = is_function ? short_name(time.full_name) : time.full_name;
      time.kind = activity.kind;
      time.device = activity.device;
      time.shortest_ns = length_ns;
    }
    time.total_ns += length_ns;
    time.shortest_ns = std::min(time.shortest_ns, length_ns);
    time.longest_ns = std::max(time.longest_ns, length_ns);
    time.bytes += activity.bytes;
    if (place.op != kNoRow) row.by_op[times.ops[place.op].name] += length_ns;
  }
  std::vector<KernelTime> kernels;
  for (auto& [key, row] : rows) {
    const auto most = std::ranges::max_element(
        row.by_op, {}, [](const auto& entry) { return std::pair(entry.second, entry.first); });
    if (most != row.by_op.end()) row.time.op = most->first;
    kernels.push_back(std::move(row.time));
  }
  std::ranges::stable_sort(kernels, std::greater{}, &KernelTime::total_ns);
  number_alike_names(kernels);
  return kernels;
}

std::vector<CallTime> call_times(const RunTimes& times, std::uint32_t kind) {
  std::map<std::string, CallTime> rows;
  const auto& activities = times.run.time.activities;
  for (std::size_t index = 0; index < activities.size(); ++index) {
    const ActivityRow& activity = activities[index];
    if (activity.kind != kind || !times.is_of_window(activity, times.places[index])) continue;
    const std::string name = activity_name(activity, times.run.texts[activity.name]);
    CallTime& row = rows[name];
    row.name = name;
    ++row.count;
    row.total_ns += activity.end_ns - activity.begin_ns;
  }
  std::vector<CallTime> calls;
  calls.reserve(rows.size());
  for (auto& [name, row] : rows) calls.push_back(std::move(row));
  std::ranges::stable_sort(calls, std::greater{}, &CallTime::total_ns);
  return calls;
}

}  // namespace strata::analysis
