// SPDX-License-Identifier: Apache-2.0
#include "tests/analysis/time/timed_run.hpp"

#include <algorithm>

#include "host/analysis/facts/warning.hpp"
#include "host/analysis/steps/window.hpp"
#include "host/analysis/time/time_facts_of.hpp"
#include "strata/ext/activity.h"

namespace strata::analysis::testing {

TimedRun::TimedRun() {
  run_.name = "timed";
  run_.end = analysis::RunEnd::kDone;
  run_.last_step = UINT64_MAX;
  run_.time.recorded = true;
}

void TimedRun::step(std::int64_t index, std::int64_t begin_ns, std::int64_t end_ns) {
  run_.steps.push_back({.step = index,
                        .schedule = 2,
                        .begin_sequence = ++sequence_,
                        .end_sequence = sequence_,
                        .begin_ns = begin_ns,
                        .end_ns = end_ns});
  run_.end_ns = std::max(run_.end_ns, end_ns);
}

std::uint32_t TimedRun::phase(std::string_view name, std::uint32_t kind, std::int64_t begin_ns,
                              std::int64_t end_ns) {
  const auto ordinal = static_cast<std::uint32_t>(run_.phases.size()) + 1;
  PhaseRow phase;
  phase.ordinal = ordinal;
  phase.kind = kind;
  phase.name = run_.texts.add(name);
  for (const StepRow& step : run_.steps)
    if (begin_ns >= step.begin_ns && begin_ns < step.end_ns) phase.step = step.step;
  phase.begin_sequence = phase.end_sequence = ++sequence_;
  phase.begin_ns = begin_ns;
  phase.end_ns = end_ns;
  run_.phases.push_back(phase);
  return ordinal;
}

std::uint32_t TimedRun::module(std::string_view path, std::int64_t begin_ns, std::int64_t end_ns) {
  ModuleRow module;
  module.ordinal = static_cast<std::uint32_t>(run_.modules.size()) + 1;
  module.path = run_.texts.add(path);
  module.begin_sequence = module.end_sequence = ++sequence_;
  module.begin_ns = begin_ns;
  module.end_ns = end_ns;
  module.thread = kDriver;
  run_.modules.push_back(module);
  return module.ordinal;
}

std::uint64_t TimedRun::op(std::string_view name, const Op& op) {
  OpTimeRow row;
  row.ordinal = ++sequence_;
  row.begin_ns = op.begin_ns;
  row.end_ns = op.end_ns;
  row.parent = op.parent;
  row.thread = op.thread;
  row.kind = op.kind;
  row.module = op.module;
  row.name = run_.texts.add(name);
  row.autograd_sequence = op.autograd_sequence;
  row.forward_thread = 1;
  run_.time.ops.push_back(row);
  return row.ordinal;
}

void TimedRun::product(std::uint64_t op, const ProductRow& shape) {
  run_.time.products.push_back(shape);
  run_.time.products.back().op = op;
}

std::uint64_t TimedRun::call(std::string_view name, std::int64_t begin_ns, std::int64_t end_ns, bool launches,
                             std::uint32_t thread) {
  ActivityRow& row = device(STRATA_ACTIVITY_API, begin_ns, end_ns, ++correlation_, name);
  row.detail = STRATA_API_RUNTIME | (launches ? STRATA_API_LAUNCHES : 0);
  row.thread = thread;
  return correlation_;
}

ActivityRow& TimedRun::device(std::uint32_t kind, std::int64_t begin_ns, std::int64_t end_ns,
                              std::uint64_t correlation, std::string_view name) {
  ActivityRow row;
  row.ordinal = ++activity_;
  row.kind = kind;
  row.begin_ns = begin_ns;
  row.end_ns = end_ns;
  row.correlation = correlation;
  row.name = run_.texts.add(name);
  run_.time.activities.push_back(row);
  return run_.time.activities.back();
}

void TimedRun::wait(std::int64_t begin_ns, std::int64_t end_ns, std::uint32_t thread) {
  ActivityRow& row = device(STRATA_ACTIVITY_SYNCHRONIZE, begin_ns, end_ns);
  row.detail = STRATA_SYNCHRONIZE_STREAM;
  row.thread = thread;
}

TimeFacts TimedRun::facts() const {
  Recording run = run_;
  std::ranges::stable_sort(run.time.activities, {}, &ActivityRow::begin_ns);
  std::vector<Warning> warnings;
  return time_facts(run, active_window(run, warnings)).value();
}

}  // namespace strata::analysis::testing
