// SPDX-License-Identifier: Apache-2.0
// Loads YAML into a RunConfig.
#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "host/config/problem.hpp"
#include "host/config/run_config.hpp"
#include "host/config/schema/written.hpp"

namespace strata::config {

// Returns the errors in the configured plugins, as complete messages; implemented by the runtime
// (strata/runtime/check_plugins.hpp).
using PluginCheck = std::function<std::vector<std::string>(const std::vector<PluginRequest>&)>;

// Loads the file, or the one shipped with Strata (files/paths.hpp), with the overrides
// (`key.path=value`, where the value is YAML). Every field is set and checked. Without `check_plugins`, only
// the form of the plugin list is checked. Throws ConfigError with all problems.
RunConfig load_config(const std::filesystem::path& file, std::span<const std::string> overrides = {},
                      const PluginCheck& check_plugins = {});

// The same for a text; relative names start in the folder of `file`, which need not exist.
RunConfig parse_config(std::string_view text, const std::filesystem::path& file,
                       std::span<const std::string> overrides = {}, const PluginCheck& check_plugins = {});

// The same for keys from another source, possibly several files: each place names its own. `problems` are the
// errors already known.
RunConfig config_of(Written written, const std::filesystem::path& file, std::vector<Problem> problems = {},
                    const PluginCheck& check_plugins = {});

}  // namespace strata::config
