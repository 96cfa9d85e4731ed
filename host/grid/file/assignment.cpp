// SPDX-License-Identifier: Apache-2.0
#include "host/grid/file/assignment.hpp"

#include <fmt/format.h>

#include <utility>
#include <variant>

#include "host/config/nearest.hpp"
#include "host/config/reading/node.hpp"
#include "host/config/schema/schema.hpp"

namespace strata::grid {
namespace {

void read(const config::WrittenValue& mapping, std::string_view section, Assignments& found,
          std::vector<config::Problem>& problems) {
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
    if (config::find_section(path) != nullptr) {
      if (value.node.IsMap()) {
        read(value, path, found, problems);
      } else {
        problems.push_back(
            {value.place, path, fmt::format("expected a mapping, found {}", config::describe(value.node))});
      }
    } else if (config::find_key(path) != nullptr) {
      found.push_back({path, value});
    } else {
      problems.push_back({place, path, unknown_setting(path)});
    }
  }
}

}  // namespace

Assignments read_assignments(const config::WrittenValue& mapping, std::string_view section,
                             std::vector<config::Problem>& problems) {
  Assignments found;
  read(mapping, section, found, problems);
  return found;
}

Assignments without(const Assignments& assignments, std::string_view path) {
  Assignments left;
  for (const Assignment& each : assignments) {
    if (each.path != path) left.push_back(each);
  }
  return left;
}

std::vector<Assignments> expand_lists(const Assignments& assignments, std::size_t limit) {
  std::vector<Assignments> all{{}};
  for (const Assignment& assignment : assignments) {
    if (!assignment.value.node.IsSequence() || takes_list(assignment.path)) {
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

bool takes_list(std::string_view key_path) {
  const config::Key* const key = config::find_key(key_path);
  return key != nullptr && (std::holds_alternative<config::PathListType>(key->type) ||
                            std::holds_alternative<config::NameListType>(key->type) ||
                            std::holds_alternative<config::PluginListType>(key->type));
}

std::string setting_meant(std::string_view path) {
  const auto dot = path.find('.');
  const std::string_view section = dot == std::string_view::npos ? std::string_view() : path.substr(0, dot);
  if (config::find_section(section) != nullptr) {
    const std::vector<std::string_view> names = config::names_in(section);
    return config::did_you_mean(path.substr(dot + 1), names);
  }
  std::vector<std::string_view> names;
  for (const config::Key& key : config::keys()) names.push_back(key.path);
  for (const config::Section& each : config::sections()) names.push_back(each.path);
  return config::did_you_mean(path, names);
}

std::string unknown_setting(std::string_view path) {
  return "unknown key of a run" + setting_meant(path);
}

}  // namespace strata::grid
