// SPDX-License-Identifier: Apache-2.0
// Which plugins and sources this host can see, with what they say of themselves: what `strata plugins`
// prints.
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
  std::string default_text;  // as it would be written in YAML
  std::string help;
  std::string expectation;  // "a whole number from 1 to 64"
};

// One plugin of one file in the search path, or one file that is no plugin of this host.
struct PluginDescription {
  std::string id;  // the file's name when it was refused
  std::string version;
  std::string summary;
  std::filesystem::path path;
  bool source = false;
  bool whole_run = false;  // hears what happens outside the active window as well
  std::vector<OptionDescription> options;
  std::string refused;  // why this host cannot load the file; empty when it can
};

// Of all files that a session with this `plugin_path` would find by name (strata/runtime/options.hpp), in the
// order of the search. Opens each file, and never closes it; calls neither `init` nor `create`. Any thread.
STRATA_RUNTIME_EXPORT std::vector<PluginDescription> available_plugins(
    const std::vector<std::filesystem::path>& plugin_path = {});

// The same for sources. Opening one loads what it observes: for `torch` all of LibTorch.
STRATA_RUNTIME_EXPORT std::vector<PluginDescription> available_sources(
    const std::vector<std::filesystem::path>& plugin_path = {});

}  // namespace strata
