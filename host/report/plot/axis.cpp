// SPDX-License-Identifier: Apache-2.0
#include "host/report/plot/axis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "host/report/quantity.hpp"

namespace strata::report::plot {
namespace {

// 1, 2, 2.5 or 5 times a power of ten: the smallest such step that needs no more than `wanted` of them.
double round_step(double length, int wanted) {
  const double least = length / wanted;
  const double power = std::pow(10.0, std::floor(std::log10(least)));
  for (const double factor : {1.0, 2.0, 2.5, 5.0}) {
    if (factor * power >= least) return factor * power;
  }
  return 10.0 * power;
}

std::string label_of(double amount, double step) {
  const int decimals = std::max(0, static_cast<int>(std::ceil(-std::log10(step) - 1e-9)));
  // 2.5 and 0.25 need one more than their power of ten.
  const double scaled = step * std::pow(10.0, decimals);
  const bool needs_more = std::abs(scaled - std::round(scaled)) > 1e-6;
  return fmt::format("{:.{}f}", amount, decimals + (needs_more ? 1 : 0));
}

struct Unit {
  const char* name;
  double size;
};

// From the mark below `least` on, where the axis would else be half empty. Both in the unit.
Axis axis_between(double least, double most, int wanted, const Unit& unit) {
  const double shown_from = least > most / 2.0 ? least : 0.0;
  const double step = round_step(std::max(most - shown_from, most * 1e-3), wanted);
  const double first = std::floor(shown_from / step * (1.0 + 1e-9));
  Axis axis{first * step * unit.size, std::max(most, (first + 1.0) * step) * unit.size, {}, unit.name};
  for (double count = first; count * step * unit.size <= axis.end * (1.0 + 1e-9); ++count)
    axis.marks.push_back({count * step * unit.size, label_of(count * step, step)});
  return axis;
}

}  // namespace

Axis bytes_axis_of(double least, double most, int wanted) {
  constexpr double kMebi = 1048576.0, kGibi = 1073741824.0;
  const Unit unit = most >= 4.0 * kGibi ? Unit{"GiB", kGibi} : Unit{"MiB", kMebi};
  return axis_between(least / unit.size, std::max(most, 1024.0) / unit.size, wanted, unit);
}

Axis bytes_axis(double most, int wanted) {
  return bytes_axis_of(0.0, most, wanted);
}

Axis count_axis(double most, int wanted, std::string unit) {
  const double shown = std::max(most, 1.0);
  const double step = std::max(round_step(shown, wanted), 1.0);
  Axis axis{0.0, shown, {}, std::move(unit)};
  for (int count = 0; count * step <= shown; ++count)
    axis.marks.push_back({count * step, thousands(static_cast<std::uint64_t>(count * step))});
  return axis;
}

Axis time_axis_of(double least, double most, int wanted) {
  static constexpr std::array kUnits{Unit{"s", 1e9}, Unit{"ms", 1e6}, Unit{"µs", 1e3}};
  const double shown = std::max(most, 1.0);
  const auto* const unit = std::ranges::find_if(kUnits, [&](const Unit& each) { return shown >= each.size; });
  const Unit& used = unit == kUnits.end() ? kUnits.back() : *unit;
  return axis_between(least / used.size, shown / used.size, wanted, used);
}

Axis time_axis(double length, int wanted) {
  return time_axis_of(0.0, length, wanted);
}

}  // namespace strata::report::plot
