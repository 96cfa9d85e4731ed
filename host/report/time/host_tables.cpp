// SPDX-License-Identifier: Apache-2.0
// Phases and operators.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "host/analysis/facts/facts.hpp"
#include "host/report/quantity.hpp"
#include "host/report/time/columns.hpp"
#include "host/report/time/time_tables.hpp"

namespace strata::report {

using analysis::DeviceTime;
using analysis::KernelTime;
using analysis::OpTime;
using analysis::PhaseTime;
using analysis::StepTime;
using analysis::TimeFacts;

namespace {

std::string label_of(const PhaseTime& phase) {
  const std::size_t slash = phase.path.rfind('/');
  return std::string(2 * std::size_t{phase.depth}, ' ') +
         (slash == std::string::npos ? phase.path : phase.path.substr(slash + 1));
}

// The totals of steps, operators and devices minus those in top-level phases.
PhaseTime outside_of_phases(const TimeFacts& time) {
  PhaseTime rest{.path = "(no phase)", .wall_ns = time.window_ns};
  for (const StepTime& step : time.steps) rest.operator_ns += step.operator_ns;
  for (const OpTime& op : time.ops) rest.thread_ns += op.self_ns;
  for (const KernelTime& kernel : time.kernels) rest.device_ns += kernel.total_ns;
  for (const DeviceTime& device : time.devices)
    rest.device_idle_ns +=
        device.idle_in_all_ns() - device.idle_ns.at(static_cast<std::size_t>(analysis::IdleCause::kNoStep));
  for (const PhaseTime& phase : time.phases) {
    if (phase.depth != 0) continue;
    for (const auto amount : {&PhaseTime::wall_ns, &PhaseTime::operator_ns, &PhaseTime::thread_ns,
                              &PhaseTime::device_ns, &PhaseTime::device_idle_ns})
      rest.*amount = std::max<std::int64_t>(0, rest.*amount - phase.*amount);
  }
  return rest;
}

std::string a_step(std::uint64_t count, std::size_t steps) {
  const double mean = static_cast<double>(count) / static_cast<double>(std::max<std::size_t>(1, steps));
  return std::abs(mean - std::round(mean)) < 0.05 ? thousands(static_cast<std::uint64_t>(std::llround(mean)))
                                                  : fmt::format("{:.1f}", mean);
}

}  // namespace

std::string share_of(std::int64_t part, std::int64_t whole) {
  return percentage(static_cast<double>(part), static_cast<double>(whole));
}

Milliseconds::Milliseconds(std::int64_t largest_ns, std::size_t steps)
    : steps_(static_cast<double>(std::max<std::size_t>(1, steps))) {
  const double largest = static_cast<double>(largest_ns) / steps_ / 1e6;
  decimals_ = largest < 10 ? 3 : largest < 1000 ? 2 : 1;
}

std::string Milliseconds::operator()(std::int64_t ns) const {
  if (ns == 0) return {};
  const double value = static_cast<double>(ns) / steps_ / 1e6;
  const double smallest = std::pow(10.0, -decimals_);
  return value < smallest / 2 ? fmt::format("<{:.{}f}", smallest, decimals_)
                              : fmt::format("{:.{}f}", value, decimals_);
}

std::string phase_time_table(const TimeFacts& time, const TerminalStyle& style) {
  if (time.phases.empty()) return {};
  const Milliseconds milliseconds(time.window_ns, time.steps.size());
  const bool has_device = !time.devices.empty();
  std::vector<std::string> headings{"Phases", "ms a step", "share", "in ops", "ops ms"};
  if (has_device) headings.insert(headings.end(), {"device ms", "idle"});
  ColumnTable table(headings);
  const auto add = [&](const std::string& name, const PhaseTime& phase) {
    std::vector<std::string> cells{name, milliseconds(phase.wall_ns), share_of(phase.wall_ns, time.window_ns),
                                   share_of(phase.operator_ns, phase.wall_ns), milliseconds(phase.thread_ns)};
    if (has_device) {
      const auto devices = static_cast<std::int64_t>(time.devices.size());
      cells.push_back(milliseconds(phase.device_ns));
      cells.push_back(share_of(phase.device_idle_ns, phase.wall_ns * devices));
    }
    table.add(std::move(cells));
  };
  for (const PhaseTime& phase : time.phases) add(label_of(phase), phase);
  if (const PhaseTime rest = outside_of_phases(time); rest.wall_ns > 0) add(rest.path, rest);
  return table.text(style);
}

std::string op_time_table(const analysis::Facts& facts, const TimeReportOptions& options,
                          const TerminalStyle& style) {
  const TimeFacts& time = *facts.time;
  if (time.ops.empty()) return {};
  std::int64_t all = 0;
  for (const OpTime& op : time.ops) all += op.self_ns;
  const Milliseconds milliseconds(all, time.steps.size());
  const bool has_device = !time.devices.empty();
  std::vector<std::string> headings{
      "Operators, by their own time", "calls", "self ms", "share", "total ms", "mean µs"};
  if (has_device) headings.emplace_back("device ms");
  ColumnTable table(headings);
  for (std::size_t index = 0; index < std::min(options.top, time.ops.size()); ++index) {
    const OpTime& op = time.ops[index];
    std::vector<std::string> cells{
        facts.texts[op.name],
        a_step(op.count, time.steps.size()),
        milliseconds(op.self_ns),
        share_of(op.self_ns, all),
        milliseconds(op.total_ns),
        fmt::format("{:.1f}", static_cast<double>(op.total_ns) / 1e3 / static_cast<double>(op.count))};
    if (has_device) cells.push_back(milliseconds(op.device_ns));
    table.add(std::move(cells));
  }
  if (time.ops.size() > options.top) {
    std::int64_t rest = 0;
    std::uint64_t calls = 0;
    for (std::size_t index = options.top; index < time.ops.size(); ++index) {
      rest += time.ops[index].self_ns;
      calls += time.ops[index].count;
    }
    std::vector<std::string> cells{fmt::format("({} more)", time.ops.size() - options.top),
                                   a_step(calls, time.steps.size()), milliseconds(rest), share_of(rest, all)};
    cells.resize(headings.size());
    table.add(std::move(cells));
  }
  return table.text(style);
}

}  // namespace strata::report
