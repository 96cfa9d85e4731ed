// SPDX-License-Identifier: Apache-2.0
#include "host/grid/file/names.hpp"

#include <fmt/format.h>

#include <utility>
#include <variant>
#include <vector>

#include "host/config/nearest.hpp"
#include "host/config/schema/schema.hpp"
#include "host/grid/file/program.hpp"

namespace strata::grid {
namespace {

std::string meant_key(std::string_view path) {
  const auto dot = path.find('.');
  const std::string_view section = dot == std::string_view::npos ? std::string_view() : path.substr(0, dot);
  if (config::find_section(section) != nullptr)
    return config::did_you_mean(path.substr(dot + 1), config::names_in(section));
  std::vector<std::string_view> names;
  for (const config::Key& key : config::keys()) names.push_back(key.path);
  for (const config::Section& each : config::sections()) names.push_back(each.path);
  return config::did_you_mean(path, names);
}

}  // namespace

Names::Names(std::set<std::string, std::less<>> placeholders) : names_(std::move(placeholders)) {
  names_.insert(std::begin(kExecNames), std::end(kExecNames));
}

bool Names::has(std::string_view path) const {
  return names_.empty() ? config::find_key(path) != nullptr : names_.contains(path);
}

bool Names::has_section(std::string_view path) const {
  return names_.empty() && config::find_section(path) != nullptr;
}

bool Names::takes_list(std::string_view path) const {
  const config::Key* const key = has(path) ? config::find_key(path) : nullptr;
  return key != nullptr && (std::holds_alternative<config::PathListType>(key->type) ||
                            std::holds_alternative<config::NameListType>(key->type) ||
                            std::holds_alternative<config::PluginListType>(key->type));
}

bool Names::takes_mapping(std::string_view path) const {
  const config::Key* const key = has(path) ? config::find_key(path) : nullptr;
  return key != nullptr && (std::holds_alternative<config::CheckpointingType>(key->type) ||
                            std::holds_alternative<config::ComputeDeviceType>(key->type));
}

std::string Names::meant(std::string_view path) const {
  if (names_.empty()) return meant_key(path);
  return config::did_you_mean(path, std::vector<std::string_view>(names_.begin(), names_.end()));
}

std::string Names::unknown(std::string_view path) const {
  return fmt::format("unknown {}{}", names_.empty() ? "key of a run" : "name", meant(path)) +
         (names_.empty()
              ? ""
              : fmt::format("; a word of `program` must contain {{{}}}, or it is one of world, ranks, "
                            "device, plugins",
                            path));
}

std::string_view Names::kind() const {
  return names_.empty() ? "a key of a run" : "a name of the program";
}

std::string_view short_name(std::string_view path) {
  return path.substr(path.rfind('.') + 1);
}

}  // namespace strata::grid
