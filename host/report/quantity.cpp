// SPDX-License-Identifier: Apache-2.0
#include "host/report/quantity.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace strata::report {
namespace {

// Separates the digits before the point of a number already printed.
std::string separated(std::string digits) {
  const auto point = digits.find('.');
  auto position = point == std::string::npos ? digits.size() : point;
  while (position > 3) {
    position -= 3;
    digits.insert(position, 1, ',');
  }
  return digits;
}

}  // namespace

std::string mebibytes(double bytes, int decimals) {
  const double amount = bytes / (1024.0 * 1024.0);
  const double smallest = std::pow(10.0, -decimals);
  if (amount > 0.0 && amount < smallest / 2) return fmt::format("<{:.{}f}", smallest, decimals);
  return separated(fmt::format("{:.{}f}", amount, decimals));
}

std::string in_mib(std::uint64_t bytes) {
  return mebibytes(static_cast<double>(bytes), bytes < (std::uint64_t{10} << 20) ? 3 : 1) + " MiB";
}

std::string signed_mebibytes(double bytes, int decimals) {
  if (bytes == 0.0) return mebibytes(0.0, decimals);
  return (bytes > 0.0 ? "+" : "-") + mebibytes(std::abs(bytes), decimals);
}

std::string change(const analysis::CategoryBytes& begin, const analysis::CategoryBytes& end, int decimals) {
  return signed_mebibytes(static_cast<double>(analysis::sum(end)) - static_cast<double>(analysis::sum(begin)),
                          decimals);
}

int decimals_for(double largest_bytes) {
  return largest_bytes < 100.0 * 1024.0 * 1024.0 ? 3 : 1;
}

std::string percentage(double part, double whole) {
  return whole > 0.0 ? fmt::format("{:.1f}%", 100.0 * part / whole) : "–";
}

std::string duration(double ns) {
  struct Unit {
    const char* name;
    double ns;
    int decimals;
  };
  static constexpr std::array kUnits{Unit{"s", 1e9, 2}, Unit{"ms", 1e6, 1}, Unit{"µs", 1e3, 1}};
  for (const auto& unit : kUnits) {
    if (ns >= unit.ns)
      return separated(fmt::format("{:.{}f}", ns / unit.ns, unit.decimals)) + " " + unit.name;
  }
  return fmt::format("{:.0f} ns", ns);
}

std::string thousands(std::uint64_t count) {
  return separated(std::to_string(count));
}

std::string counted(std::uint64_t count, std::string_view one, std::string_view many) {
  return thousands(count) + ' ' + std::string(count == 1 ? one : many);
}

}  // namespace strata::report
