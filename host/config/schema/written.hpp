// SPDX-License-Identifier: Apache-2.0
// What a file and the command line say, by key, before any value is understood: unknown and repeated keys are
// found here, and what the command line says has replaced what the file said.
#pragma once

#include <yaml-cpp/yaml.h>

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "host/config/problem.hpp"

namespace strata::config {

struct WrittenValue {
  YAML::Node node;
  Place place;
};

// `plugins.NAME=value` or `plugins.NAME.OPTION=value` of the command line.
struct PluginOverride {
  std::string plugin;
  std::string option;  // empty: all options of the plugin
  WrittenValue value;
};

struct Written {
  std::map<std::string, WrittenValue, std::less<>> values;  // by key path
  std::map<std::string, Place, std::less<>> sections;       // where each opens
  std::vector<PluginOverride> plugin_overrides;
  Place file;

  // Sets a key's value in place of an earlier one. (Assigning to a YAML::Node would write through it, into
  // every alias of the node that stood there.)
  void put(const std::string& path, WrittenValue value);

  // Where to point at for a key: its value, else its section, else the file.
  Place place_of(std::string_view path) const;
};

// The path of a key: "optimizer.lr"; of the top level's, its name alone.
std::string key_path(std::string_view section, std::string_view name);

// Adds what the file says. `source` names it in messages.
void read_file_keys(const YAML::Node& root, const std::string& source, Written& written,
                    std::vector<Problem>& problems);

// Adds one `key.path=value` of the command line. A section's value replaces the whole section.
void read_override(std::string_view text, Written& written, std::vector<Problem>& problems);

}  // namespace strata::config
