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

  // Where to point at for a key: its value, else its section, else the file.
  Place place_of(std::string_view path) const;
};

// Adds what the file says. `source` names it in messages.
void read_file_keys(const YAML::Node& root, const std::string& source, Written& written,
                    std::vector<Problem>& problems);

// Adds one `key.path=value` of the command line. A section's value replaces the whole section.
void read_override(std::string_view text, Written& written, std::vector<Problem>& problems);

// "'abc'", "nothing", "a list", "a mapping", for "expected ..., found ...". Does not look inside.
std::string describe(const YAML::Node& node);

// Where a node of `source` stands; `otherwise` when YAML does not say.
Place place_of(const YAML::Node& node, const Place& otherwise);

}  // namespace strata::config
