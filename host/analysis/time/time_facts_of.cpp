// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/time/time_facts_of.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "host/analysis/recording/recording.hpp"
#include "host/analysis/time/device_times.hpp"
#include "host/analysis/time/time_tables.hpp"
#include "strata/ext/activity.h"

namespace strata::analysis {
namespace {

std::int64_t waits_ns(const RunTimes& times) {
  std::int64_t sum = 0;
  const auto& activities = times.run.time.activities;
  for (std::size_t index = 0; index < activities.size(); ++index) {
    const ActivityRow& activity = activities[index];
    if (activity.kind == STRATA_ACTIVITY_SYNCHRONIZE &&
        activity.detail != STRATA_SYNCHRONIZE_STREAM_WAITS_EVENT &&
        times.is_of_window(activity, times.places[index]))
      sum += activity.end_ns - activity.begin_ns;
  }
  return sum;
}

std::vector<ModuleSpan> module_spans(const Recording& run) {
  std::vector<ModuleSpan> spans;
  spans.reserve(run.modules.size());
  for (const ModuleRow& module : run.modules)
    spans.push_back({module.begin_ns, std::min(module.end_ns, std::max(run.end_ns, module.begin_ns)),
                     module.thread, module.path, module.direction});
  std::ranges::stable_sort(spans, {}, &ModuleSpan::begin_ns);
  return spans;
}

}  // namespace

std::optional<TimeFacts> time_facts(Recording& run, const Window& window) {
  if (!run.time.recorded) return std::nullopt;
  RunTimes times(run, window);
  TimeFacts facts;
  facts.steps = step_times(times);
  for (const StepTime& step : facts.steps) facts.window_ns += step.wall_ns;
  facts.phases = phase_times(times);
  facts.layers = layer_times(times);
  facts.ops = op_times(times);
  facts.kernels = kernel_times(times);
  facts.devices = device_times({run, times.moments, times.places, times.window});
  facts.calls = call_times(times, STRATA_ACTIVITY_API);
  facts.overheads = call_times(times, STRATA_ACTIVITY_OVERHEAD);
  facts.host_waits_ns = waits_ns(times);
  facts.launches = check_launches(times);
  facts.products = product_times(times);
  facts.captures = std::move(run.time.captures);
  facts.modelled = std::ranges::any_of(facts.devices, &DeviceTime::modelled);
  std::set<std::uint32_t> threads;
  for (const OpSpan& op : times.ops)
    if (times.is_of_window(op)) threads.insert(op.thread);
  facts.threads = threads.size();
  facts.modules = module_spans(run);
  facts.spans = std::move(times.ops);
  facts.places = std::move(times.places);
  facts.activities = std::move(run.time.activities);
  facts.kernel_launches = std::move(run.time.launches);
  facts.product_rows = std::move(run.time.products);
  facts.host_computes = host_computes(run);
  run.time = {};
  return facts;
}

}  // namespace strata::analysis
