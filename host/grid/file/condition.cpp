// SPDX-License-Identifier: Apache-2.0
#include "host/grid/file/condition.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "host/config/reading/node.hpp"
#include "host/config/reading/value.hpp"
#include "host/grid/file/axis.hpp"

namespace strata::grid {
namespace {

bool equal(std::string_view value, std::string_view expected) {
  const auto number = config::parse_real(value), wanted = config::parse_real(expected);
  if (number && wanted) return *number == *wanted;
  return value == expected ||
         (value.size() > expected.size() && value.starts_with(expected) && value[expected.size()] == ' ');
}

std::string_view without_blanks(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  return text;
}

}  // namespace

bool matches(std::string_view value, std::string_view expected) {
  constexpr std::array<std::string_view, 5> kComparisons{">=", "<=", "!=", ">", "<"};
  for (const std::string_view comparison : kComparisons) {
    if (!expected.starts_with(comparison)) continue;
    const std::string_view limit_text = without_blanks(expected.substr(comparison.size()));
    if (comparison == "!=") return !equal(value, limit_text);
    const auto number = config::parse_real(value), limit = config::parse_real(limit_text);
    if (!number || !limit) return false;
    if (comparison == ">=") return *number >= *limit;
    if (comparison == "<=") return *number <= *limit;
    return comparison == ">" ? *number > *limit : *number < *limit;
  }
  return equal(value, expected);
}

bool Rule::takes(const std::function<std::optional<std::string>(const std::string&)>& value_of) const {
  return std::ranges::all_of(conditions, [&](const Condition& condition) {
    const auto value = value_of(condition.name);
    return value && std::ranges::any_of(condition.expected, [&](const std::string& expected) {
             return matches(*value, expected);
           });
  });
}

Rule read_rule(const config::WrittenValue& mapping, const std::vector<std::string>& axes, const Names& names,
               std::vector<config::Problem>& problems) {
  Rule rule{.place = mapping.place, .text = label_of(mapping.node), .conditions = {}};
  if (!mapping.node.IsMap() || mapping.node.size() == 0) {
    problems.push_back({mapping.place, "exclude",
                        fmt::format("expected a mapping of keys or axes to values, found {}",
                                    config::describe(mapping.node))});
    return rule;
  }
  for (const auto& entry : mapping.node) {
    const config::Place place = config::place_of(entry.first, mapping.place);
    const std::string name = entry.first.IsScalar() ? entry.first.Scalar() : "";
    if (std::ranges::find(axes, name) == axes.end() && !names.has(name)) {
      problems.push_back(
          {place, "exclude", fmt::format("'{}' is not an axis and an {}", name, names.unknown(name))});
      continue;
    }
    Condition condition{.name = name, .expected = {}};
    if (entry.second.IsSequence()) {
      for (const YAML::Node& element : entry.second) condition.expected.push_back(label_of(element));
    } else {
      condition.expected.push_back(label_of(entry.second));
    }
    rule.conditions.push_back(std::move(condition));
  }
  return rule;
}

}  // namespace strata::grid
