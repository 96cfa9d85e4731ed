// SPDX-License-Identifier: Apache-2.0
#include "host/report/lanes/lanes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <tuple>
#include <utility>

#include "host/analysis/facts/facts.hpp"
#include "host/analysis/time/activity_places.hpp"
#include "host/analysis/time/span_kinds.hpp"

namespace strata::report {
namespace {

using analysis::Facts;
using analysis::ModuleSpan;
using analysis::OpSpan;
using analysis::TimeFacts;
using Intervals = std::vector<LaneInterval>;

bool is_range(const OpSpan& op) {
  return analysis::kind_of(op) == analysis::OpKind::kRange;
}

Intervals ranges_of(const Facts& facts) {
  Intervals ranges;
  for (const auto& phase : facts.phases)
    ranges.push_back({phase.begin_ns, std::min(phase.end_ns, std::max(facts.end_ns, phase.begin_ns)),
                      static_cast<std::uint32_t>(ranges.size())});
  if (!facts.time) return ranges;
  const auto& ops = facts.time->spans;
  for (std::uint32_t index = 0; index < ops.size(); ++index) {
    if (is_range(ops[index]))
      ranges.push_back(
          {ops[index].begin_ns, ops[index].end_ns, static_cast<std::uint32_t>(facts.phases.size() + index)});
  }
  return ranges;
}

// The thread that trained first: it ran the modules, or the first operator.
std::uint32_t training_thread(const TimeFacts& time) {
  for (const ModuleSpan& module : time.modules)
    if (module.thread != 0) return module.thread;
  return time.spans.empty() ? 0 : time.spans.front().thread;
}

class Builder {
 public:
  Builder(const Facts& facts, const LaneLimits& limits) : facts_(facts), limits_(limits) {}

  Lanes build() && {
    add(LaneKind::kRanges, "Ranges: phases, and what the program named", ranges_of(facts_));
    if (facts_.time) {
      lanes_.modules = module_intervals(facts_);
      add_threads();
      add_streams();
    }
    for (const Lane& lane : lanes_.lanes) lanes_.recorded += lane.recorded;
    lanes_.recorded += beyond_;
    choose_intervals(lanes_, facts_.peak.ns, limits_.intervals);
    lanes_.left_out = lanes_.recorded;
    for (const Lane& lane : lanes_.lanes) lanes_.left_out -= lane.intervals.size();
    return std::move(lanes_);
  }

 private:
  void add(LaneKind kind, std::string title, Intervals intervals) {
    if (intervals.empty()) return;
    for (LaneInterval& interval : intervals) interval.end_ns = std::max(interval.end_ns, interval.begin_ns);
    std::ranges::stable_sort(intervals, {}, [](const LaneInterval& interval) {
      return std::pair(interval.begin_ns, -interval.end_ns);
    });
    Lane lane{kind, std::move(title), std::move(intervals), 0, 0};
    lane.recorded = lane.intervals.size();
    lane.rows = place_in_rows(lane.intervals, limits_.rows);
    lanes_.lanes.push_back(std::move(lane));
  }

  void add_threads() {
    const TimeFacts& time = *facts_.time;
    const std::uint32_t training = training_thread(time);
    std::map<std::uint32_t, std::pair<Intervals, Intervals>> threads;  // modules, operators
    for (std::uint32_t index = 0; index < lanes_.modules.size(); ++index) {
      const ModuleSpan& module = lanes_.modules[index];
      threads[module.thread].first.push_back({module.begin_ns, module.end_ns, index});
    }
    for (std::uint32_t index = 0; index < time.spans.size(); ++index) {
      const OpSpan& op = time.spans[index];
      if (!is_range(op)) threads[op.thread].second.push_back({op.begin_ns, op.end_ns, index});
    }
    std::vector<std::uint32_t> order;
    order.reserve(threads.size());
    for (const auto& [thread, unused] : threads) order.push_back(thread);
    std::ranges::stable_sort(order, {}, [&](std::uint32_t thread) {
      const auto& [modules, operators] = threads[thread];
      return std::tuple(thread != training, -static_cast<std::int64_t>(modules.size() + operators.size()));
    });
    for (std::size_t i = 0; i < order.size(); ++i) {
      const std::uint32_t thread = order[i];
      auto& [modules, operators] = threads[thread];
      if (i >= limits_.threads) {
        beyond_ += modules.size() + operators.size();
        continue;
      }
      const char* const role = thread == training ? "training" : "autograd or other";
      add(LaneKind::kModules, fmt::format("Modules, thread {} ({})", thread, role), std::move(modules));
      add(LaneKind::kOperators, fmt::format("Operators, thread {} ({})", thread, role), std::move(operators));
    }
  }

  void add_streams() {
    const TimeFacts& time = *facts_.time;
    std::map<std::pair<std::uint32_t, std::uint64_t>, Intervals> streams;
    for (std::uint32_t index = 0; index < time.activities.size(); ++index) {
      const analysis::ActivityRow& activity = time.activities[index];
      if (analysis::is_device_work(activity.kind))
        streams[{activity.device, activity.stream}].push_back({activity.begin_ns, activity.end_ns, index});
    }
    std::vector<std::size_t> sizes;
    sizes.reserve(streams.size());
    for (const auto& [unused, intervals] : streams) sizes.push_back(intervals.size());
    std::ranges::sort(sizes, std::greater{});
    const std::size_t least = sizes.size() > limits_.streams ? sizes[limits_.streams - 1] : 0;
    std::size_t added = 0;
    for (auto& [place, intervals] : streams) {
      if (intervals.size() < least || added == limits_.streams) {
        beyond_ += intervals.size();
        continue;
      }
      ++added;
      const char* const modelled = time.modelled ? ": modelled, nothing was measured" : "";
      add(LaneKind::kStream, fmt::format("GPU {}, stream {}{}", place.first, place.second, modelled),
          std::move(intervals));
    }
  }

  const Facts& facts_;
  const LaneLimits& limits_;
  Lanes lanes_;
  std::uint64_t beyond_ = 0;  // intervals of lanes that there is no room for
};

}  // namespace

Lanes lanes_of(const Facts& facts, const LaneLimits& limits) {
  return Builder(facts, limits).build();
}

}  // namespace strata::report
