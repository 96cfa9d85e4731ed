// SPDX-License-Identifier: Apache-2.0
// The contents of a file and the command line by key, before values are interpreted. Unknown and repeated
// keys are detected here, and command line values have replaced those from the file.
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

// `plugins.NAME=value` or `plugins.NAME.OPTION=value` from the command line.
struct PluginOverride {
  std::string plugin;
  std::string option;  // empty: all options of the plugin
  WrittenValue value;
};

struct Written {
  std::map<std::string, WrittenValue, std::less<>> values;  // by key path
  std::map<std::string, Place, std::less<>> sections;       // where each begins
  std::vector<PluginOverride> plugin_overrides;
  Place file;

  // Sets a key's value, replacing an earlier one. (Assigning to a YAML::Node would also change every alias of
  // the previous node.)
  void put(const std::string& path, WrittenValue value);

  // The place to report for a key: its value, else its section, else the file.
  Place place_of(std::string_view path) const;
};

// The path of a key: "optimizer.lr"; for a top-level key only its name.
std::string key_path(std::string_view section, std::string_view name);

// Adds the keys of the file. `source` is its name in messages.
void read_file_keys(const YAML::Node& root, const std::string& source, Written& written,
                    std::vector<Problem>& problems);

// Adds one `key.path=value` from the command line. A section's value replaces the whole section.
void read_override(std::string_view text, Written& written, std::vector<Problem>& problems);

}  // namespace strata::config
