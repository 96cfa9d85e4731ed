// SPDX-License-Identifier: Apache-2.0
#include "host/report/time/time_report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "host/analysis/facts/facts.hpp"
#include "host/report/quantity.hpp"
#include "host/report/terminal_style.hpp"
#include "host/report/text.hpp"
#include "host/report/time/time_tables.hpp"
#include "host/report/words/capture_warnings.hpp"

namespace strata::report {
namespace {

using analysis::DeviceTime;
using analysis::Facts;
using analysis::PhaseTime;
using analysis::TimeFacts;

double steps_of(const TimeFacts& time) {
  return static_cast<double>(std::max<std::size_t>(1, time.steps.size()));
}

// "backward 51.2%, forward 25.0%, ...": the phases that are in no other.
std::string longest_phases(const TimeFacts& time) {
  std::vector<const PhaseTime*> phases;
  for (const PhaseTime& phase : time.phases)
    if (phase.depth == 0 && phase.wall_ns * 100 >= time.window_ns) phases.push_back(&phase);
  std::ranges::stable_sort(phases, std::greater{}, [](const PhaseTime* phase) { return phase->wall_ns; });
  std::string text;
  for (const PhaseTime* phase : phases)
    text +=
        (text.empty() ? "" : ", ") + printable(phase->path) + " " + share_of(phase->wall_ns, time.window_ns);
  return text;
}

// "aten::mm 40.1%, aten::add_ 5.2%": of what operators took themselves.
std::string busiest_operators(const Facts& facts, std::size_t most) {
  std::int64_t all = 0;
  for (const analysis::OpTime& op : facts.time->ops) all += op.self_ns;
  std::string text;
  for (std::size_t index = 0; index < std::min(most, facts.time->ops.size()); ++index) {
    const analysis::OpTime& op = facts.time->ops[index];
    text += (text.empty() ? "" : ", ") + printable(shortened(facts.texts[op.name], 40)) + " " +
            share_of(op.self_ns, all);
  }
  return text;
}

std::string device_line(const DeviceTime& device) {
  const std::int64_t window = device.bounds.length_ns();
  std::string text = fmt::format("device {} busy {}", device.device, share_of(device.busy_ns, window));
  if (device.modelled) text += ", by a model: nothing was measured";
  const auto most = std::ranges::max_element(device.idle_ns) - device.idle_ns.begin();
  if (device.idle_ns.at(static_cast<std::size_t>(most)) > 0) {
    text += fmt::format("; idle {}, most of it: {} ({})", share_of(device.idle_in_all_ns(), window),
                        explained(static_cast<analysis::IdleCause>(most)),
                        share_of(device.idle_ns.at(static_cast<std::size_t>(most)), window));
  }
  return text;
}

bool uses_cudnn(const Facts& facts) {
  return std::ranges::any_of(facts.time->ops, [&](const analysis::OpTime& op) {
    return facts.texts[op.name].find("cudnn") != std::string::npos;
  });
}

// Device work missing in the tables. In a run on the CPU nothing is missing.
std::string incomplete(const Facts& facts, const TerminalStyle& style) {
  if (!facts.device.starts_with("cuda")) return {};
  std::string text;
  for (const std::string& warning : capture_warnings(facts.time->captures)) {
    std::string lines = wrapped(warning, 2, style.width);
    lines.pop_back();  // the colour ends before the last line does
    text += style.alarming(lines) + '\n';
  }
  return text;
}

std::string lines(const Facts& facts, const TerminalStyle& style) {
  const TimeFacts& time = *facts.time;
  std::string text;
  if (const std::string phases = longest_phases(time); !phases.empty())
    text += wrapped(phases, 2, style.width);
  if (const std::string operators = busiest_operators(facts, 4); !operators.empty())
    text += wrapped("operators themselves: " + operators, 2, style.width);
  for (const DeviceTime& device : time.devices) text += wrapped(device_line(device), 2, style.width);
  if (time.modelled && uses_cudnn(facts))
    text += wrapped("the model gives no time to convolutions and what else cuDNN computes: a card is busier",
                    2, style.width);
  if (time.launches && !time.launches->holds()) {
    text += style.alarming(fmt::format("  {} launches without a kernel, {} kernels without a launch",
                                       thousands(time.launches->launches_unanswered),
                                       thousands(time.launches->work_unasked))) +
            '\n';
  }
  return text + incomplete(facts, style);
}

std::string heading(const Facts& facts, const TerminalStyle& style) {
  const TimeFacts& time = *facts.time;
  if (time.steps.empty()) return style.heading("Time: no step of the window was recorded") + '\n';
  const double step_ns = static_cast<double>(time.window_ns) / steps_of(time);
  const std::string steady = steady_mean(facts);
  std::string text =
      style.heading(fmt::format("Time: {} a step", duration(step_ns))) +
      fmt::format(", the mean of steps {} to {}\n", time.steps.front().step, time.steps.back().step);
  if (!steady.empty()) text += "  " + steady + '\n';
  if (facts.dry) text += "  the host's, beside a card that is not there\n";
  return text;
}

std::string notes(const TimeFacts& time, const TerminalStyle& style) {
  std::string text =
      "Times are means over the steps of the window. In ops: while an operator was at work on some thread; "
      "ops "
      "ms: what operators took themselves, over all threads. Share of an operator: of what all took "
      "themselves, without those that they called.";
  if (time.products.empty()) text += " With trace.shapes: true matrix products get their FLOP/s.";
  return wrapped(text, 2, style.width);
}

}  // namespace

std::string time_report(const Facts& facts, const TimeReportOptions& options, bool colour, int width) {
  const TerminalStyle style{colour, std::max(width, kNarrowestTerminal)};
  const TimeFacts& time = *facts.time;
  if (options.steps) return step_time_table(facts, style) + incomplete(facts, style);
  std::string text = heading(facts, style) + lines(facts, style);
  if (time.ops.empty()) {
    text += wrapped(
        "No operator of these steps was recorded: that needs a window that was reached, and the "
        "source torch with ops: window or run.",
        2, style.width);
  }
  for (const std::string& part :
       {phase_time_table(time, style), layer_time_table(time, options, style),
        op_time_table(facts, options, style), kernel_time_table(facts, options, style),
        device_time_text(facts, options, style), product_table(facts, options, style), notes(time, style)}) {
    if (!part.empty()) text += '\n' + part;
  }
  return text;
}

std::string time_headline(const Facts& facts, const TerminalStyle& style) {
  if (!facts.time || facts.time->steps.empty()) return {};
  return heading(facts, style) + lines(facts, style) + style.dimmed("  more: strata report with --time") +
         '\n';
}

}  // namespace strata::report
