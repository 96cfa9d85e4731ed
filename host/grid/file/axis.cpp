// SPDX-License-Identifier: Apache-2.0
#include "host/grid/file/axis.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include "host/config/reading/node.hpp"
#include "host/config/reading/value.hpp"

namespace strata::grid {
namespace {

// {from: 128, to: 1024, times: 2}: the values of an axis as a range of numbers.

// The message is appended to the key's name.
class RangeError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

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

// Whether a mapping is meant as a range: it has `from`.
bool is_range(const YAML::Node& mapping) {
  return mapping["from"].IsDefined();
}

// From the first to the last, inclusive, each `times` or `step` the previous one. Integers if all three
// numbers are. Throws RangeError.
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
      throw RangeError(fmt::format("has more than {} values", kMostNumbers));
    numbers.push_back(whole ? fmt::format("{:.0f}", value) : fmt::format("{:.12g}", value));
  }
}

class AxisReader {
 public:
  AxisReader(std::string name, const config::WrittenValue& value, const Names& names,
             std::vector<config::Problem>& problems)
      : axis_{.name = std::move(name), .place = value.place, .points = {}},
        value_(value),
        names_(names),
        is_key_(names.has(axis_.name)),
        is_section_(names.has_section(axis_.name)),
        problems_(problems) {}

  Axis read() {
    const std::size_t before = problems_.size();
    if (value_.node.IsSequence()) {
      read_list();
    } else if (value_.node.IsMap() && is_range(value_.node)) {
      read_numbers();
    } else if (value_.node.IsMap() && (!is_key_ || !names_.takes_mapping(axis_.name))) {
      for (const auto& entry : value_.node) {
        const config::Place place = config::place_of(entry.first, value_.place);
        named(entry.first.IsScalar() ? entry.first.Scalar() : "", {entry.second, place});
      }
    } else {
      return refuse(fmt::format(
          "expected a list of values, {{from: ..., to: ..., times: ...}}, or a mapping of names to "
          "settings, found {}",
          config::describe(value_.node)));
    }
    if (axis_.points.empty() && problems_.size() == before)
      return refuse("expected at least one value, found none");
    if (problems_.size() == before && sets_nothing())
      return refuse(fmt::format("is not {}, and none of its values sets one{}", names_.kind(),
                                names_.meant(axis_.name)));
    number_namesakes();
    require_different_labels();
    return std::move(axis_);
  }

 private:
  void read_list() {
    for (const YAML::Node& element : value_.node) {
      const config::WrittenValue value{element, config::place_of(element, value_.place)};
      if (is_key_) {
        add({label_of(element), {{axis_.name, value}}});
      } else if (!element.IsMap()) {
        problems_.push_back({value.place, axis_.name, not_a_map(element)});
      } else if (const auto only = only_name(element)) {
        named(*only, {element.begin()->second, value.place});
      } else {
        named("", value);
      }
    }
  }

  std::string not_a_map(const YAML::Node& element) const {
    if (is_section_)
      return fmt::format("expected a mapping of keys of {}, found {}", axis_.name, config::describe(element));
    return fmt::format("is not {}, so each of its values must be a mapping of keys, found {}{}",
                       names_.kind(), config::describe(element), names_.meant(axis_.name));
  }

  // `optimiser: [{name: sgd}, {name: adamw}]`, whose names are only labels. One of several values may set
  // nothing.
  bool sets_nothing() const {
    return std::ranges::all_of(axis_.points, [](const Point& point) { return point.assignments.empty(); });
  }

  // The label of {label: {key: value}}.
  std::optional<std::string> only_name(const YAML::Node& element) const {
    if (element.size() != 1) return std::nullopt;
    const auto entry = *element.begin();
    if (!entry.first.IsScalar() || !entry.second.IsMap()) return std::nullopt;
    const std::string& name = entry.first.Scalar();
    const std::string path = is_section_ ? axis_.name + "." + name : name;
    if (names_.has(path) || names_.has_section(path)) return std::nullopt;
    return name;
  }

  // For `optimiser`, whose values set keys of the section that was probably meant.
  void blame_name(std::size_t first_problem) {
    const std::string meant = names_.meant(axis_.name);
    if (meant.empty()) return;
    for (std::size_t index = first_problem; index < problems_.size(); ++index)
      problems_[index].message +=
          fmt::format("; the axis's name '{}' is not a key, either{}", axis_.name, meant);
  }

  // A map of settings; its own `name` is its label if none was given.
  void named(std::string label, const config::WrittenValue& value) {
    if (!value.node.IsMap()) {
      problems_.push_back(
          {value.place, axis_.name,
           fmt::format("expected a mapping of keys, found {}", config::describe(value.node))});
      return;
    }
    const bool names_itself = !is_section_ && value.node["name"] && value.node["name"].IsScalar();
    const bool is_nameless = label.empty();
    if (is_nameless && value.node["name"] && value.node["name"].IsScalar())
      label = value.node["name"].Scalar();
    const std::size_t known_problems = problems_.size();
    const Assignments written = read_assignments(
        value, is_section_ ? std::string_view(axis_.name) : std::string_view(), names_, problems_);
    if (!is_section_) blame_name(known_problems);
    const Assignments assignments = names_itself ? without(written, "name") : written;
    // Not {name: adamw} of `adamw`, and not a label that is made of all settings.
    const bool only_says_its_name =
        value.node.size() == 1 && value.node["name"] && label_of(value.node["name"]) == label;
    const bool is_named = !label.empty();
    std::vector<std::string_view> lists;
    for (const Assignment& each : assignments) {
      if (each.value.node.IsSequence() && !names_.takes_list(each.path)) lists.push_back(each.path);
    }
    for (Assignments& each : expand_lists(assignments, names_, kMostPoints)) {
      std::string shown = label, whole = label;
      for (const Assignment& assignment : each) {
        if (is_nameless && !label.empty() && short_name(assignment.path) == "name") continue;
        const std::string text =
            fmt::format("{}={}", short_name(assignment.path), label_of(assignment.value.node));
        whole += (whole.empty() ? "" : " ") + text;
        if (label.empty() || std::ranges::find(lists, assignment.path) != lists.end())
          shown += (shown.empty() ? "" : " ") + text;
      }
      if (is_nameless) whole_labels_[axis_.points.size()] = std::move(whole);
      add({std::move(shown), std::move(each), is_named ? label_of(value.node) : std::string(),
           !is_named || only_says_its_name});
    }
  }

  void read_numbers() {
    if (!is_key_) {
      refuse(names_.unknown(axis_.name));
      return;
    }
    try {
      for (const std::string& number : range_of(value_.node))
        add({number, {{axis_.name, {YAML::Node(number), value_.place}}}});
    } catch (const RangeError& error) {
      refuse(error.what());
    }
  }

  void add(Point point) {
    if (axis_.points.size() < kMostPoints) axis_.points.push_back(std::move(point));
  }

  // If there are several {name: sgd, ...}, each is also labelled with its other settings.
  void number_namesakes() {
    std::map<std::string, std::size_t> counts;
    for (const Point& point : axis_.points) ++counts[point.label];
    for (const auto& [index, whole] : whole_labels_) {
      if (index < axis_.points.size() && counts[axis_.points[index].label] > 1)
        axis_.points[index] = {whole, std::move(axis_.points[index].assignments), ""};
    }
  }

  void require_different_labels() {
    std::set<std::string> seen;
    for (const Point& point : axis_.points) {
      if (!seen.insert(point.label).second) {
        const config::Place place =
            point.assignments.empty() ? axis_.place : point.assignments[0].value.place;
        problems_.push_back({place, axis_.name, fmt::format("has the value {} twice", point.label)});
      }
    }
  }

  Axis refuse(std::string message) {
    problems_.push_back({value_.place, axis_.name, std::move(message)});
    return std::move(axis_);
  }

  Axis axis_;
  const config::WrittenValue& value_;
  const Names& names_;
  bool is_key_, is_section_;
  std::map<std::size_t, std::string> whole_labels_;  // of points without a given label, with all settings
  std::vector<config::Problem>& problems_;
};

}  // namespace

Axis read_axis(const std::string& name, const config::WrittenValue& value, const Names& names,
               std::vector<config::Problem>& problems) {
  return AxisReader(name, value, names, problems).read();
}

std::string label_of(const YAML::Node& node) {
  if (node.IsScalar()) return node.Scalar();
  YAML::Emitter out;
  out << YAML::Flow << node;
  std::string text = out.c_str();
  std::ranges::replace(text, '\n', ' ');
  return text;
}

}  // namespace strata::grid
