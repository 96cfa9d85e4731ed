// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/diff/gate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace strata::analysis {
namespace {

constexpr std::string_view kForm =
    "expected NAME>LIMIT or NAME<LIMIT, such as 'peak_allocated>+2%', 'step_time>+5ms' or "
    "'peak_reserved>24GiB'";

struct Unit {
  std::string_view text;
  double factor;
  MeasureUnit of;
};
constexpr std::array<Unit, 9> kUnits{{{"B", 1.0, MeasureUnit::kBytes},
                                      {"KiB", 1024.0, MeasureUnit::kBytes},
                                      {"MiB", 1048576.0, MeasureUnit::kBytes},
                                      {"GiB", 1073741824.0, MeasureUnit::kBytes},
                                      {"TiB", 1099511627776.0, MeasureUnit::kBytes},
                                      {"ns", 1.0, MeasureUnit::kNanoseconds},
                                      {"us", 1e3, MeasureUnit::kNanoseconds},
                                      {"ms", 1e6, MeasureUnit::kNanoseconds},
                                      {"s", 1e9, MeasureUnit::kNanoseconds}}};

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

[[noreturn]] void refuse(std::string_view expression, std::string_view why) {
  throw GateError(fmt::format("'{}': {}; {}", expression, why, kForm));
}

// All but the many of layers and kinds.
std::string names_of(const std::vector<MeasureChange>& measures) {
  std::string names;
  for (const MeasureChange& measure : measures) {
    if (!measure.name.starts_with("kind.") && !measure.name.starts_with("layer."))
      names += measure.name + ", ";
  }
  return names + "and those of kinds and layers (kind.*, layer.*), which `strata diff --json` lists";
}

}  // namespace

Gate::Gate(std::string_view expression) : expression_(trimmed(expression)) {
  const std::size_t sign = expression_.find_first_of("<>");
  if (sign == std::string::npos) refuse(expression_, "it has neither '>' nor '<'");
  name_ = trimmed(std::string_view(expression_).substr(0, sign));
  if (name_.empty()) refuse(expression_, "it does not name a measure");
  is_upper_ = expression_[sign] == '>';
  std::string_view limit = trimmed(std::string_view(expression_).substr(sign + 1));
  const bool is_signed = limit.starts_with('+') || limit.starts_with('-');
  if (limit.starts_with('+')) limit.remove_prefix(1);
  const auto [rest, error] = std::from_chars(limit.data(), limit.data() + limit.size(), amount_);
  if (error != std::errc() || !std::isfinite(amount_)) refuse(expression_, "its limit is not a number");
  const std::string_view unit = trimmed(limit.substr(static_cast<std::size_t>(rest - limit.data())));
  against_ = is_signed ? Against::kBase : Against::kNothing;
  if (unit == "%") {
    if (!is_signed) refuse(expression_, "a percentage of the base's value needs a sign: +2% or -2%");
    against_ = Against::kShareOfBase;
    amount_ /= 100.0;
  } else if (!unit.empty()) {
    const auto* const known = std::ranges::find(kUnits, unit, &Unit::text);
    if (known == kUnits.end())
      refuse(expression_, fmt::format("'{}' is not a unit (%, B, KiB, MiB, GiB, TiB, ns, us, ms, s)", unit));
    amount_ *= known->factor;
    unit_ = known->of;
  }
}

std::vector<Gate::Result> Gate::check(const std::vector<MeasureChange>& measures) const {
  const bool any =
      name_.ends_with('*') && std::ranges::find(measures, name_, &MeasureChange::name) == measures.end();
  const std::string begin = any ? name_.substr(0, name_.size() - 1) : name_;
  std::vector<Result> results;
  for (const MeasureChange& measure : measures) {
    if (any ? measure.name.starts_with(begin) : measure.name == name_) results.push_back(check_one(measure));
  }
  if (results.empty())
    throw GateError(
        fmt::format("'{}': neither run has '{}'. They have {}", expression_, name_, names_of(measures)));
  return results;
}

Gate::Result Gate::check_one(const MeasureChange& measure) const {
  if (unit_ && *unit_ != measure.unit) {
    throw GateError(fmt::format("'{}': {} is in {}, but the limit is in {}", expression_, measure.name,
                                to_string(measure.unit), to_string(*unit_)));
  }
  if (!unit_ && against_ != Against::kShareOfBase && amount_ != 0.0 &&
      measure.unit != MeasureUnit::kPerSecond) {
    throw GateError(fmt::format("'{}': {} is in {}, but the limit has no unit; write it with one, such as {}",
                                expression_, measure.name, to_string(measure.unit),
                                measure.unit == MeasureUnit::kBytes ? "2GiB" : "5ms"));
  }
  if (!measure.base || !measure.now) {
    throw GateError(fmt::format("'{}': the {} run did not record {}", expression_,
                                measure.base ? "new" : "base", measure.name));
  }
  double limit = amount_;
  if (against_ == Against::kBase) limit += *measure.base;
  if (against_ == Against::kShareOfBase) limit = *measure.base * (1.0 + amount_);
  return {expression_, measure, limit, is_upper_ ? *measure.now > limit : *measure.now < limit};
}

}  // namespace strata::analysis
