// SPDX-License-Identifier: Apache-2.0
#include "host/report/terminal/step_drawing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "host/analysis/facts/facts.hpp"
#include "host/report/quantity.hpp"

namespace strata::report {
namespace {

constexpr std::array<std::string_view, 8> kEighths{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};

struct Column {
  double longest_ns = 0.0;
  std::int64_t first_step = 0;
};

std::vector<Column> columns_of(const std::vector<const analysis::StepFact*>& steps, std::size_t width) {
  const std::size_t count = std::min(width, steps.size());
  std::vector<Column> columns(count);
  for (std::size_t index = steps.size(); index-- > 0;) {
    Column& column = columns[index * count / steps.size()];
    column.first_step = steps[index]->index;
    column.longest_ns =
        std::max(column.longest_ns, static_cast<double>(steps[index]->end_ns - steps[index]->begin_ns));
  }
  return columns;
}

}  // namespace

std::string step_drawing(const analysis::Facts& facts, int width) {
  std::vector<const analysis::StepFact*> steps;
  for (const auto& step : facts.steps) {
    if (step.complete) steps.push_back(&step);
  }
  if (steps.size() < 2 || width < 20) return {};
  const std::vector<Column> columns = columns_of(steps, static_cast<std::size_t>(width - 2));
  double longest = 0.0;
  for (const Column& column : columns) longest = std::max(longest, column.longest_ns);
  if (longest <= 0.0) return {};
  std::string bars = "  ";
  std::size_t steady_at = columns.size();
  for (std::size_t index = 0; index < columns.size(); ++index) {
    const auto eighths = std::ceil(columns[index].longest_ns / longest * 8.0);
    bars += kEighths[static_cast<std::size_t>(std::clamp(eighths, 1.0, 8.0)) - 1];
    if (facts.steady_state.first_step && columns[index].first_step <= *facts.steady_state.first_step)
      steady_at = index;
  }
  std::string text = bars + '\n';
  if (steady_at < columns.size()) {
    const std::string mark = fmt::format("^ steady from step {}", *facts.steady_state.first_step);
    const auto room = static_cast<std::size_t>(width) - 2;
    const bool fits = steady_at + mark.size() - 1 <= room;
    text +=
        fits ? fmt::format("  {:>{}}{}\n", "", steady_at, mark)
             : fmt::format("  {:>{}}\n", fmt::format("steady from step {} ^", *facts.steady_state.first_step),
                           steady_at + 1);
  }
  return text + fmt::format("  steps {} to {}; the highest took {}\n", steps.front()->index,
                            steps.back()->index, duration(longest));
}

}  // namespace strata::report
