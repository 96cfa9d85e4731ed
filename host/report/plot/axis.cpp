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

std::vector<Mark> marks_of(double step, double end, double unit) {
  std::vector<Mark> marks;
  for (int count = 0; count * step <= end * (1.0 + 1e-9); ++count)
    marks.push_back({count * step * unit, label_of(count * step, step)});
  return marks;
}

}  // namespace

Axis bytes_axis(double most, int wanted) {
  constexpr double kMebi = 1048576.0, kGibi = 1073741824.0;
  const bool large = most >= 4.0 * kGibi;
  const double unit = large ? kGibi : kMebi;
  const double amount = std::max(most, 1024.0) / unit;
  const double step = round_step(amount, wanted);
  return {amount * unit, marks_of(step, amount, unit), large ? "GiB" : "MiB"};
}

Axis count_axis(double most, int wanted, std::string unit) {
  const double shown = std::max(most, 1.0);
  const double step = std::max(round_step(shown, wanted), 1.0);
  Axis axis{shown, {}, std::move(unit)};
  for (int count = 0; count * step <= shown; ++count)
    axis.marks.push_back({count * step, thousands(static_cast<std::uint64_t>(count * step))});
  return axis;
}

Axis time_axis(double length, int wanted) {
  struct Unit {
    const char* name;
    double ns;
  };
  static constexpr std::array kUnits{Unit{"s", 1e9}, Unit{"ms", 1e6}, Unit{"µs", 1e3}};
  const double shown = std::max(length, 1.0);
  const auto* const unit = std::ranges::find_if(kUnits, [&](const Unit& each) { return shown >= each.ns; });
  const Unit& used = unit == kUnits.end() ? kUnits.back() : *unit;
  const double step = round_step(shown / used.ns, wanted);
  return {shown, marks_of(step, shown / used.ns, used.ns), used.name};
}

}  // namespace strata::report::plot
