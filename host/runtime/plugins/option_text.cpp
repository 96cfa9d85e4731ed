// SPDX-License-Identifier: Apache-2.0
#include "host/runtime/plugins/option_text.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <stdexcept>
#include <vector>

namespace strata {
namespace {

template <typename Number>
std::optional<Number> parse_number(std::string_view text) {
  Number number{};
  const char* end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stopped != end) return std::nullopt;
  return number;
}

struct Unit {
  std::string_view name;
  double bytes;
};

constexpr std::array kUnits = {Unit{"B", 1.0}, Unit{"KiB", 0x1p10}, Unit{"MiB", 0x1p20}, Unit{"GiB", 0x1p30},
                               Unit{"TiB", 0x1p40}};

// "512", "64KiB", "1.5 GiB".
std::optional<std::int64_t> parse_bytes(std::string_view text) {
  if (const auto plain = parse_number<std::int64_t>(text)) return plain;
  for (const Unit& unit : kUnits) {
    if (!text.ends_with(unit.name)) continue;
    std::string_view count = text.substr(0, text.size() - unit.name.size());
    while (count.ends_with(' ')) count.remove_suffix(1);
    const auto number = parse_number<double>(count);
    const double bytes = number ? std::round(*number * unit.bytes) : -1.0;
    if (bytes >= 0.0 && bytes < 0x1p63) return static_cast<std::int64_t>(bytes);
  }
  return std::nullopt;
}

std::vector<std::string_view> split_choices(std::string_view choices) {
  std::vector<std::string_view> split;
  while (true) {
    const std::size_t bar = choices.find('|');
    split.push_back(choices.substr(0, bar));
    if (bar == std::string_view::npos) return split;
    choices.remove_prefix(bar + 1);
  }
}

bool in_range(const strata_option& option, double value) {
  return !(option.minimum < option.maximum) || (value >= option.minimum && value <= option.maximum);
}

std::optional<OptionValue> parse(const strata_option& option, std::string_view text) {
  switch (option.type) {
    case STRATA_OPTION_FLAG:
      if (text == "true") return true;
      if (text == "false") return false;
      return std::nullopt;
    case STRATA_OPTION_INTEGER:
    case STRATA_OPTION_BYTES: {
      const auto number =
          option.type == STRATA_OPTION_BYTES ? parse_bytes(text) : parse_number<std::int64_t>(text);
      if (!number || !in_range(option, static_cast<double>(*number))) return std::nullopt;
      return *number;
    }
    case STRATA_OPTION_REAL: {
      const auto number = parse_number<double>(text);
      if (!number || !in_range(option, *number)) return std::nullopt;
      return *number;
    }
    case STRATA_OPTION_TEXT:
      if (option.choices != nullptr) {
        bool allowed = false;
        for (const std::string_view choice : split_choices(option.choices)) allowed |= choice == text;
        if (!allowed) return std::nullopt;
      }
      return std::string(text);
    default:
      return std::nullopt;
  }
}

std::string range_of(const strata_option& option) {
  if (!(option.minimum < option.maximum)) return "";
  if (std::isinf(option.maximum)) return fmt::format(" of at least {}", option.minimum);
  return fmt::format(" from {} to {}", option.minimum, option.maximum);
}

}  // namespace

std::string_view option_type_name(std::uint32_t type) {
  switch (type) {
    case STRATA_OPTION_FLAG:
      return "flag";
    case STRATA_OPTION_INTEGER:
      return "integer";
    case STRATA_OPTION_REAL:
      return "real";
    case STRATA_OPTION_TEXT:
      return "text";
    case STRATA_OPTION_BYTES:
      return "bytes";
    default:
      return "unknown";
  }
}

std::string expectation(const strata_option& option) {
  switch (option.type) {
    case STRATA_OPTION_FLAG:
      return "true or false";
    case STRATA_OPTION_INTEGER:
      return "a whole number" + range_of(option);
    case STRATA_OPTION_REAL:
      return "a number" + range_of(option);
    case STRATA_OPTION_BYTES:
      return "a size" + range_of(option) + " bytes, such as 512, 64KiB or 1.5GiB";
    case STRATA_OPTION_TEXT:
      if (option.choices == nullptr) return "a text";
      return fmt::format("one of {}", fmt::join(split_choices(option.choices), ", "));
    default:
      return fmt::format("an option type that this host knows (the plugin says {})", option.type);
  }
}

OptionValue parse_option(const strata_option& option, std::string_view text) {
  if (std::optional<OptionValue> value = parse(option, text)) return *std::move(value);
  throw std::invalid_argument(fmt::format("expected {}, found '{}'", expectation(option), text));
}

}  // namespace strata
