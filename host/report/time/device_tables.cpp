// SPDX-License-Identifier: Apache-2.0
// Device activities and idle time.
#include <fmt/format.h>

#include <algorithm>

#include "host/analysis/facts/facts.hpp"
#include "host/report/quantity.hpp"
#include "host/report/text.hpp"
#include "host/report/time/columns.hpp"
#include "host/report/time/time_tables.hpp"

namespace strata::report {
namespace {

using analysis::DeviceTime;
using analysis::IdleCause;
using analysis::KernelTime;
using analysis::TimeFacts;

std::string device_text(const TimeFacts& time, const DeviceTime& device, const TerminalStyle& style) {
  const std::int64_t window = device.bounds.length_ns();
  const Milliseconds milliseconds(window, time.steps.size());
  ColumnTable table({fmt::format("Device {}{}", device.device, device.modelled ? " (modelled)" : ""),
                     "ms a step", "share"});
  const auto add = [&](const std::string& name, std::int64_t ns) {
    if (ns != 0) table.add({name, milliseconds(ns), share_of(ns, window)});
  };
  add("busy", device.busy_ns);
  add("  computing", device.compute_ns);
  add("  copying", device.copy_ns);
  add("    while computing", device.overlap_ns);
  add("  setting memory", device.set_ns);
  add("idle", device.idle_in_all_ns());
  for (std::size_t cause = 0; cause < analysis::kIdleCauses; ++cause)
    add(fmt::format("  {}", explained(static_cast<IdleCause>(cause))), device.idle_ns[cause]);
  return table.text(style);
}

std::string launches_line(const analysis::LaunchCheck& check, const TerminalStyle& style) {
  if (check.holds())
    return fmt::format("  checked: each of {} launches has its kernel or graph\n", thousands(check.launches));
  return style.alarming(
             fmt::format("  incomplete: {} launches, {} without a kernel; {} kernels, {} without a launch",
                         thousands(check.launches), thousands(check.launches_unanswered),
                         thousands(check.work), thousands(check.work_unasked))) +
         '\n';
}

}  // namespace

const char* explained(IdleCause cause) {
  switch (cause) {
    case IdleCause::kData:
      return "the loop was getting its data";
    case IdleCause::kSynchronize:
      return "the host had waited for it, and had nothing ready";
    case IdleCause::kLaunch:
      return "launch-bound: the host had not asked yet";
    case IdleCause::kLatency:
      return "asked for, not begun";
    case IdleCause::kNoStep:
      return "between steps";
    case IdleCause::kTail:
      return "nothing came any more";
    case IdleCause::kUnknown:
      break;
  }
  return "who asked next was not recorded";
}

std::string device_time_text(const analysis::Facts& facts, const TimeReportOptions& options,
                             const TerminalStyle& style) {
  const TimeFacts& time = *facts.time;
  std::string text;
  for (const DeviceTime& device : time.devices) text += device_text(time, device, style);
  if (time.host_waits_ns > 0) {
    text += fmt::format("  the host waited for a device {} a step\n",
                        duration(static_cast<double>(time.host_waits_ns) /
                                 static_cast<double>(std::max<std::size_t>(1, time.steps.size()))));
  }
  if (time.launches) text += launches_line(*time.launches, style);
  const auto list = [&](const char* heading, const std::vector<analysis::CallTime>& calls) {
    if (calls.empty()) return;
    const Milliseconds milliseconds(calls.front().total_ns, time.steps.size());
    ColumnTable table({heading, "calls in all", "ms a step"});
    for (std::size_t index = 0; index < std::min(options.top, calls.size()); ++index)
      table.add({calls[index].name, thousands(calls[index].count), milliseconds(calls[index].total_ns)});
    text += '\n' + table.text(style);
  };
  list("Calls of CUDA", time.calls);
  list("Overhead of driver and profiler", time.overheads);
  return text;
}

std::string kernel_time_table(const analysis::Facts& facts, const TimeReportOptions& options,
                              const TerminalStyle& style) {
  const TimeFacts& time = *facts.time;
  if (time.kernels.empty()) return {};
  std::int64_t all = 0;
  for (const KernelTime& kernel : time.kernels) all += kernel.total_ns;
  const Milliseconds milliseconds(all, time.steps.size());
  const bool is_wide = style.width >= 100;
  std::vector<std::string> headings{"Kernels and copies", "count", "ms a step", "share", "mean µs"};
  if (is_wide) headings.emplace_back("most by");
  ColumnTable table(headings);
  for (std::size_t index = 0; index < std::min(options.top, time.kernels.size()); ++index) {
    const KernelTime& kernel = time.kernels[index];
    std::vector<std::string> cells{kernel.name, thousands(kernel.count), milliseconds(kernel.total_ns),
                                   share_of(kernel.total_ns, all),
                                   fmt::format("{:.1f}", static_cast<double>(kernel.total_ns) / 1e3 /
                                                             static_cast<double>(kernel.count))};
    if (is_wide) cells.push_back(kernel.op == 0 ? "" : shortened(facts.texts[kernel.op], 28));
    table.add(std::move(cells));
  }
  if (time.kernels.size() > options.top) {
    std::vector<std::string> cells{fmt::format("({} more)", time.kernels.size() - options.top)};
    std::int64_t rest = 0;
    for (std::size_t index = options.top; index < time.kernels.size(); ++index)
      rest += time.kernels[index].total_ns;
    cells.insert(cells.end(), {"", milliseconds(rest), share_of(rest, all)});
    cells.resize(headings.size());
    table.add(std::move(cells));
  }
  return table.text(style);
}

}  // namespace strata::report
