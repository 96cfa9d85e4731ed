// SPDX-License-Identifier: Apache-2.0
#include "host/grid/file/range.hpp"

#include <fmt/format.h>

#include <cmath>
#include <optional>

#include "host/config/reading/node.hpp"
#include "host/config/reading/value.hpp"

namespace strata::grid {
namespace {

constexpr std::size_t kMostNumbers = 10'000;
// For rounding: 0.1 + 0.1 + 0.1 must reach 0.3.
constexpr double kSlack = 1e-9;

struct Number {
  double value = 0.0;
  bool whole = true;
};

Number number_at(const YAML::Node& mapping, const char* name) {
  const YAML::Node node = mapping[name];
  const auto value = node && node.IsScalar() ? config::parse_real(node.Scalar()) : std::nullopt;
  if (!value)
    throw RangeError(fmt::format("{}: expected a number, found {}", name,
                                 node ? config::describe(node) : std::string("nothing")));
  return {*value, config::parse_integer(node.Scalar()).has_value()};
}

}  // namespace

bool is_range(const YAML::Node& mapping) {
  return mapping["from"].IsDefined();
}

std::vector<std::string> range_of(const YAML::Node& mapping) {
  for (const auto& entry : mapping) {
    const std::string name = entry.first.IsScalar() ? entry.first.Scalar() : "";
    if (name != "from" && name != "to" && name != "times" && name != "step")
      throw RangeError(fmt::format("expected from, to and times or step, found '{}'", name));
  }
  if (mapping["times"].IsDefined() == mapping["step"].IsDefined())
    throw RangeError("expected from, to and one of times and step");
  const bool multiplies = mapping["times"].IsDefined();
  const Number from = number_at(mapping, "from"), to = number_at(mapping, "to");
  const Number by = number_at(mapping, multiplies ? "times" : "step");
  if (to.value < from.value) throw RangeError("to is less than from");
  if (multiplies && (by.value <= 1.0 || from.value <= 0.0))
    throw RangeError("times must be above 1, and from above 0");
  if (!multiplies && by.value <= 0.0) throw RangeError("step must be above 0");

  const bool whole = from.whole && by.whole;
  std::vector<std::string> numbers;
  const double end = to.value + std::abs(to.value) * kSlack;
  for (std::size_t index = 0;; ++index) {
    const auto steps = static_cast<double>(index);
    const double value = multiplies ? from.value * std::pow(by.value, steps) : from.value + by.value * steps;
    if (value > end) return numbers;
    if (numbers.size() == kMostNumbers)
      throw RangeError(fmt::format("makes more than {} values", kMostNumbers));
    numbers.push_back(whole ? fmt::format("{:.0f}", value) : fmt::format("{:.12g}", value));
  }
}

}  // namespace strata::grid
