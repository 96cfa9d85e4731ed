// SPDX-License-Identifier: Apache-2.0
#include "host/grid/file/include.hpp"

#include <fmt/format.h>

#include <utility>

#include "host/config/reading/node.hpp"

namespace strata::grid {
namespace {

std::string label_from(const YAML::Node& mapping, const Assignments& assignments) {
  if (mapping["name"] && mapping["name"].IsScalar()) return mapping["name"].Scalar();
  std::string label;
  for (const Assignment& each : assignments)
    label += fmt::format("{}{}={}", label.empty() ? "" : " ", each.path, label_of(each.value.node));
  return label;
}

}  // namespace

std::vector<Point> read_include(const config::WrittenValue& value, const Names& names,
                                std::vector<config::Problem>& problems) {
  std::vector<Point> cells;
  if (value.node.IsNull()) return cells;
  if (!value.node.IsSequence()) {
    problems.push_back({value.place, "include",
                        fmt::format("expected a list of mappings, found {}", config::describe(value.node))});
    return cells;
  }
  for (const YAML::Node& element : value.node) {
    const config::WrittenValue cell{element, config::place_of(element, value.place)};
    if (!element.IsMap()) {
      problems.push_back({cell.place, "include",
                          fmt::format("expected a mapping of keys, found {}", config::describe(element))});
      continue;
    }
    Assignments assignments = without(read_assignments(cell, "", names, problems), "name");
    std::string label = label_from(element, assignments);
    cells.push_back({.label = std::move(label), .assignments = std::move(assignments)});
  }
  return cells;
}

}  // namespace strata::grid
