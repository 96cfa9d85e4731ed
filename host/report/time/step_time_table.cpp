// SPDX-License-Identifier: Apache-2.0
// The time of each step in the window, and the means with and without the warm-up.
#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "host/analysis/facts/facts.hpp"
#include "host/report/quantity.hpp"
#include "host/report/text.hpp"
#include "host/report/time/columns.hpp"
#include "host/report/time/time_tables.hpp"

namespace strata::report {
namespace {

using analysis::Course;
using analysis::Facts;
using analysis::StepTime;

bool is_warm_up(const Facts& facts, const StepTime& step) {
  return facts.steady_state.first_step && step.step < *facts.steady_state.first_step;
}

// The sum of some steps, and how many they are.
struct StepSum {
  std::size_t count = 0;
  StepTime sum;
};

StepSum sum_of(const Facts& facts, bool with_warm_up) {
  StepSum all;
  for (const StepTime& step : facts.time->steps) {
    if (!with_warm_up && is_warm_up(facts, step)) continue;
    ++all.count;
    all.sum.wall_ns += step.wall_ns;
    all.sum.operator_ns += step.operator_ns;
    all.sum.device_ns += step.device_ns;
    all.sum.operators += step.operators;
  }
  return all;
}

std::string left_out(const Facts& facts) {
  const auto& steady = facts.steady_state;
  const auto& steps = facts.time->steps;
  if (!steady.first_step) {
    return steady.course == Course::kNone
               ? "The run comes to no steady state: no step is left out as warm-up."
               : fmt::format("Too few steps ({}) to tell which are warm-up: none is left out.", steady.steps);
  }
  if (steps.front().step >= *steady.first_step)
    return fmt::format("No step of the window is warm-up: the run is steady from step {} on.",
                       *steady.first_step);
  const std::int64_t last = std::min(steps.back().step, *steady.first_step - 1);
  const std::string which = steps.front().step == last
                                ? fmt::format("step {} is", last)
                                : fmt::format("steps {} to {} are", steps.front().step, last);
  const std::string faster = steady.course == Course::kSlowDown ? ", and faster" : "";
  return fmt::format("The run is steady from step {} on: {} before that{}, and left out of the steady mean.",
                     *steady.first_step, which, faster);
}

}  // namespace

std::string steady_mean(const Facts& facts) {
  const auto& steps = facts.time->steps;
  if (steps.empty() || !is_warm_up(facts, steps.front())) return {};
  const StepSum steady = sum_of(facts, false);
  if (steady.count == 0) return "all of them warm-up";
  return fmt::format("{} without the {} of warm-up",
                     duration(static_cast<double>(steady.sum.wall_ns) / static_cast<double>(steady.count)),
                     counted(steps.size() - steady.count, "step", "steps"));
}

std::string step_time_table(const Facts& facts, const TerminalStyle& style) {
  const analysis::TimeFacts& time = *facts.time;
  if (time.steps.empty()) return "No step of the window was recorded.\n";
  const auto longest = std::ranges::max_element(time.steps, {}, &StepTime::wall_ns);
  const bool has_device = !time.devices.empty();
  std::vector<std::string> headings{"Step", "ms", "in operators", "operators"};
  if (has_device) headings.emplace_back("device busy");
  ColumnTable table(headings);
  const auto add = [&](const std::string& name, const StepTime& step, std::size_t count) {
    // The same number of decimals in all rows.
    const Milliseconds milliseconds(longest->wall_ns * static_cast<std::int64_t>(count), count);
    std::vector<std::string> cells{name, milliseconds(step.wall_ns), share_of(step.operator_ns, step.wall_ns),
                                   thousands(step.operators / count)};
    if (has_device) cells.push_back(share_of(step.device_ns, step.wall_ns));
    table.add(std::move(cells));
  };
  for (const StepTime& step : time.steps)
    add(fmt::format("{}{}", step.step, is_warm_up(facts, step) ? "  warm-up" : ""), step, 1);
  const StepSum all = sum_of(facts, true), steady = sum_of(facts, false);
  add(fmt::format("mean of all {}", all.count), all.sum, all.count);
  if (facts.steady_state.first_step && steady.count > 0)
    add(fmt::format("mean of {} steady", steady.count), steady.sum, steady.count);
  return table.text(style) + wrapped(left_out(facts), 2, style.width);
}

}  // namespace strata::report
