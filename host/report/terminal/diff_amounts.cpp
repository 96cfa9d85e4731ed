// SPDX-License-Identifier: Apache-2.0
#include "host/report/terminal/diff_amounts.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "host/report/quantity.hpp"
#include "host/report/text.hpp"

namespace strata::report {

using analysis::MeasureUnit;

std::string amount(const std::optional<double>& value, MeasureUnit unit, int decimals) {
  if (!value) return "–";
  if (unit == MeasureUnit::kBytes) return mebibytes(*value, decimals);
  if (unit == MeasureUnit::kNanoseconds) return duration(*value);
  return fmt::format("{:.1f}/s", *value);
}

double largest_bytes(const std::vector<analysis::MeasureChange>& measures) {
  double largest = 0.0;
  for (const analysis::MeasureChange& measure : measures) {
    if (measure.unit == MeasureUnit::kBytes)
      largest = std::max({largest, measure.base.value_or(0.0), measure.now.value_or(0.0)});
  }
  return largest;
}

std::string changed_share(const analysis::MeasureChange& measure, int decimals) {
  const auto change = measure.change();
  if (!change || *change == 0.0) return "";
  if (*measure.base == 0.0) return "new";
  if (*measure.now == 0.0) return "gone";
  constexpr double kMostTimes = 99.0;  // beyond it the base is next to nothing
  const auto is_little = [&](const std::optional<double>& value) {
    return amount(value, measure.unit, decimals).starts_with('<');
  };
  if (is_little(measure.base) && is_little(measure.now)) return "";
  if (*change > kMostTimes * *measure.base) return "over 99x";
  return fmt::format("{:+.1f}%", 100.0 * *change / *measure.base);
}

bool shows_peak_steps(const std::vector<std::int64_t>& steps) {
  const auto [least, most] = std::ranges::minmax(steps);
  return least == 0 && most > 0;
}

std::string gate_text(const analysis::Gate::Result& gate, int decimals, const TerminalStyle& style) {
  const MeasureUnit unit = gate.measure.unit;
  const std::string text =
      fmt::format("{}  {}: {} is {}, the limit {}", gate.fails ? "FAIL" : "pass", printable(gate.expression),
                  printable(gate.measure.name), amount(gate.measure.now, unit, decimals),
                  amount(gate.limit, unit, decimals));
  return gate.fails ? style.alarming(text) : text;
}

}  // namespace strata::report
