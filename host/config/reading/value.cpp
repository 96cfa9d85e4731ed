// SPDX-License-Identifier: Apache-2.0
#include "host/config/reading/value.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace strata::config {
namespace {

struct Unit {
  std::string_view name;
  std::int64_t bytes;
};

constexpr std::array kUnits{Unit{"TiB", std::int64_t{1} << 40}, Unit{"GiB", std::int64_t{1} << 30},
                            Unit{"MiB", std::int64_t{1} << 20}, Unit{"KiB", std::int64_t{1} << 10}};

template <typename Number>
std::optional<Number> parse_number(std::string_view text) {
  if (text.starts_with('+') && text.size() > 1 && text[1] != '-') text.remove_prefix(1);
  Number number{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end) return std::nullopt;
  return number;
}

}  // namespace

std::optional<bool> parse_flag(std::string_view text) {
  constexpr std::array kTrue{"true", "True", "TRUE", "yes", "Yes", "YES", "on", "On", "ON"};
  constexpr std::array kFalse{"false", "False", "FALSE", "no", "No", "NO", "off", "Off", "OFF"};
  if (std::ranges::find(kTrue, text) != kTrue.end()) return true;
  if (std::ranges::find(kFalse, text) != kFalse.end()) return false;
  return std::nullopt;
}

std::optional<std::int64_t> parse_integer(std::string_view text) {
  return parse_number<std::int64_t>(text);
}

std::optional<double> parse_real(std::string_view text) {
  const std::optional<double> number = parse_number<double>(text);
  return number && std::isfinite(*number) ? number : std::nullopt;
}

std::optional<Range> parse_range(std::string_view text) {
  const std::size_t dash = text.find('-');
  const auto first = parse_integer(text.substr(0, dash));
  const auto last = dash == std::string_view::npos ? first : parse_integer(text.substr(dash + 1));
  if (!first || !last || *first < 0 || *last < *first) return std::nullopt;
  return Range{*first, *last};
}

std::optional<std::int64_t> parse_bytes(std::string_view text) {
  if (const auto bytes = parse_integer(text)) return bytes;
  std::int64_t unit_bytes = 1;
  const auto unit =
      std::ranges::find_if(kUnits, [&](const Unit& known) { return text.ends_with(known.name); });
  if (unit != kUnits.end()) {
    unit_bytes = unit->bytes;
    text.remove_suffix(unit->name.size());
  } else if (text.ends_with('B')) {
    text.remove_suffix(1);
  } else {
    return std::nullopt;
  }
  text = text.substr(0, text.find_last_not_of(' ') + 1);
  const std::optional<double> number = parse_real(text);
  if (!number) return std::nullopt;
  const double bytes = *number * static_cast<double>(unit_bytes);
  if ((unit_bytes == 1 && bytes != std::floor(bytes)) || std::abs(bytes) >= 0x1p63) return std::nullopt;
  return static_cast<std::int64_t>(bytes);  // of "23.52GiB" the whole bytes
}

std::string format_real(double value) {
  std::string text = fmt::format("{}", value);
  if (text.find('.') != std::string::npos) return text;
  const auto exponent = text.find('e');
  text.insert(exponent == std::string::npos ? text.size() : exponent, ".0");
  return text;
}

std::string format_bytes(std::int64_t bytes) {
  for (const Unit& unit : kUnits) {
    if (bytes != 0 && bytes % unit.bytes == 0) return fmt::format("{}{}", bytes / unit.bytes, unit.name);
  }
  return fmt::format("{}", bytes);
}

}  // namespace strata::config
