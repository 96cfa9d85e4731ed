// SPDX-License-Identifier: Apache-2.0
#include "host/grid/file/assignment.hpp"

#include <fmt/format.h>

#include <utility>

#include "host/config/reading/node.hpp"

namespace strata::grid {
namespace {

void read(const config::WrittenValue& mapping, std::string_view section, const Names& names,
          Assignments& found, std::vector<config::Problem>& problems) {
  for (const auto& entry : mapping.node) {
    const config::Place place = config::place_of(entry.first, mapping.place);
    if (!entry.first.IsScalar()) {
      problems.push_back(
          {place, std::string(section),
           fmt::format("expected the name of a key, found {}", config::describe(entry.first))});
      continue;
    }
    const std::string path = config::key_path(section, entry.first.Scalar());
    const config::WrittenValue value{entry.second, config::place_of(entry.second, place)};
    if (names.has_section(path)) {
      if (value.node.IsMap()) {
        read(value, path, names, found, problems);
      } else {
        problems.push_back(
            {value.place, path, fmt::format("expected a mapping, found {}", config::describe(value.node))});
      }
    } else if (names.has(path)) {
      found.push_back({path, value});
    } else {
      problems.push_back({place, path, names.unknown(path)});
    }
  }
}

}  // namespace

Assignments read_assignments(const config::WrittenValue& mapping, std::string_view section,
                             const Names& names, std::vector<config::Problem>& problems) {
  Assignments found;
  read(mapping, section, names, found, problems);
  return found;
}

Assignments without(const Assignments& assignments, std::string_view path) {
  Assignments left;
  for (const Assignment& each : assignments) {
    if (each.path != path) left.push_back(each);
  }
  return left;
}

std::vector<Assignments> expand_lists(const Assignments& assignments, const Names& names, std::size_t limit) {
  std::vector<Assignments> all{{}};
  for (const Assignment& assignment : assignments) {
    if (!assignment.value.node.IsSequence() || names.takes_list(assignment.path)) {
      for (Assignments& each : all) each.push_back(assignment);
      continue;
    }
    std::vector<Assignments> longer;
    for (const Assignments& each : all) {
      for (const YAML::Node& element : assignment.value.node) {
        if (longer.size() >= limit) break;
        Assignments with = each;
        with.push_back({assignment.path, {element, config::place_of(element, assignment.value.place)}});
        longer.push_back(std::move(with));
      }
    }
    all = std::move(longer);
  }
  return all;
}

}  // namespace strata::grid
