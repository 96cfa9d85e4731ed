// SPDX-License-Identifier: Apache-2.0
#include "host/export/trace/thread_slices.hpp"

#include <algorithm>
#include <tuple>

#include "host/analysis/facts/facts.hpp"
#include "host/analysis/time/activity_places.hpp"
#include "strata/ext/activity.h"

namespace strata::exports {
namespace {

using analysis::Facts;
using analysis::TimeFacts;
using Slices = std::vector<ThreadSlice>;

void nest(Slices& slices) {
  std::ranges::stable_sort(slices, {}, [](const ThreadSlice& slice) {
    return std::tuple(slice.begin_ns, -slice.end_ns, slice.kind);
  });
  std::vector<std::size_t> open;
  for (std::size_t index = 0; index < slices.size(); ++index) {
    ThreadSlice& slice = slices[index];
    slice.end_ns = std::max(slice.end_ns, slice.begin_ns);
    while (!open.empty()) {
      ThreadSlice& around = slices[open.back()];
      const bool crosses = around.end_ns > slice.begin_ns && slice.end_ns > around.end_ns;
      if (crosses && around.kind == ThreadSlice::Kind::kCall && slice.kind != ThreadSlice::Kind::kCall)
        around.end_ns = slice.begin_ns;
      if (around.end_ns > slice.begin_ns) break;
      open.pop_back();
    }
    if (!open.empty()) slice.end_ns = std::min(slice.end_ns, slices[open.back()].end_ns);
    open.push_back(index);
  }
}

bool is_of_thread(const analysis::ActivityRow& activity) {
  return activity.thread != 0 &&
         (activity.kind == STRATA_ACTIVITY_API || activity.kind == STRATA_ACTIVITY_OVERHEAD ||
          activity.kind == STRATA_ACTIVITY_SYNCHRONIZE || activity.kind == STRATA_ACTIVITY_JIT);
}

}  // namespace

std::uint32_t driver_thread(const Facts& facts) {
  for (const analysis::ModuleSpan& module : facts.time->modules)
    if (module.thread != 0) return module.thread;
  return facts.time->spans.empty() ? static_cast<std::uint32_t>(facts.pid) : facts.time->spans.front().thread;
}

std::map<std::uint32_t, Slices> thread_slices(const Facts& facts) {
  using Kind = ThreadSlice::Kind;
  const TimeFacts& time = *facts.time;
  std::map<std::uint32_t, Slices> threads;
  Slices& driver = threads[driver_thread(facts)];
  const auto add_all = [&](Kind kind, const auto& intervals) {
    for (std::uint32_t index = 0; index < intervals.size(); ++index)
      driver.push_back({intervals[index].begin_ns,
                        std::min(intervals[index].end_ns, std::max(facts.end_ns, intervals[index].begin_ns)),
                        kind, index});
  };
  add_all(Kind::kStep, facts.steps);
  add_all(Kind::kPhase, facts.phases);
  for (std::uint32_t index = 0; index < time.modules.size(); ++index) {
    const analysis::ModuleSpan& module = time.modules[index];
    threads[module.thread].push_back({module.begin_ns, module.end_ns, Kind::kModule, index});
  }
  for (std::uint32_t index = 0; index < time.spans.size(); ++index) {
    const analysis::OpSpan& op = time.spans[index];
    threads[op.thread].push_back({op.begin_ns, op.end_ns, Kind::kOp, index});
  }
  for (std::uint32_t index = 0; index < time.activities.size(); ++index) {
    const analysis::ActivityRow& activity = time.activities[index];
    if (is_of_thread(activity))
      threads[activity.thread].push_back({activity.begin_ns, activity.end_ns, Kind::kCall, index});
  }
  for (auto& [thread, slices] : threads) nest(slices);
  return threads;
}

std::vector<StreamRow> stream_rows(const TimeFacts& time) {
  struct Stream {
    std::vector<std::int64_t> ends;  // of each row so far
    std::vector<std::size_t> rows;   // index into the result
  };
  std::map<std::pair<std::uint32_t, std::uint64_t>, Stream> streams;
  std::vector<StreamRow> rows;
  for (std::uint32_t index = 0; index < time.activities.size(); ++index) {
    const analysis::ActivityRow& activity = time.activities[index];
    if (!analysis::is_device_work(activity.kind)) continue;
    Stream& stream = streams[{activity.device, activity.stream}];
    std::size_t row = 0;
    while (row < stream.ends.size() && stream.ends[row] > activity.begin_ns) ++row;
    if (row == stream.ends.size()) {
      stream.ends.push_back(0);
      stream.rows.push_back(rows.size());
      rows.push_back({activity.device, activity.stream, static_cast<std::uint32_t>(row), {}});
    }
    stream.ends[row] = activity.end_ns;
    rows[stream.rows[row]].activities.push_back(index);
  }
  return rows;
}

}  // namespace strata::exports
