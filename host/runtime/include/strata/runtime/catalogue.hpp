// SPDX-License-Identifier: Apache-2.0
// The plugins and sources available to this host, with their descriptions, as `strata plugins` prints them.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "strata/runtime/export.hpp"

namespace strata {

// One option of a plugin, as its descriptor declares it.
struct OptionDescription {
  std::string key;
  std::string type;          // "flag", "integer", "real", "text" or "bytes"
  std::string default_text;  // written as in YAML
  std::string help;
  std::string expectation;  // "a whole number from 1 to 64"
};

// One plugin of a file in the search path, or a file that is not a plugin for this host.
struct PluginDescription {
  std::string id;  // the file's name if it was rejected
  std::string version;
  std::string summary;
  std::filesystem::path path;
  bool source = false;
  bool whole_run = false;  // also gets events outside the active window
  std::vector<OptionDescription> options;
  std::string refused;  // why this host cannot load the file; empty if it can
};

// All files that a session with this `plugin_path` would find by name (strata/runtime/options.hpp), in search
// order. Opens each file and never closes it; calls neither `init` nor `create`. Any thread.
STRATA_RUNTIME_EXPORT std::vector<PluginDescription> available_plugins(
    const std::vector<std::filesystem::path>& plugin_path = {});

// The same for sources. Opening a source loads what it observes: for `torch`, all of LibTorch.
STRATA_RUNTIME_EXPORT std::vector<PluginDescription> available_sources(
    const std::vector<std::filesystem::path>& plugin_path = {});

}  // namespace strata
