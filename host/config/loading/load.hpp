// SPDX-License-Identifier: Apache-2.0
// YAML to a RunConfig.
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

// What is wrong with the plugins that a configuration names, as whole messages: the runtime knows
// (strata/runtime/check_plugins.hpp).
using PluginCheck = std::function<std::vector<std::string>(const std::vector<PluginRequest>&)>;

// The file, or the one that Strata brings along (files/shipped_file.hpp), with the overrides
// (`key.path=value`, whose value is YAML) on top, every field set and checked. Without `check_plugins` their
// list is only looked at for its form. Throws ConfigError with every problem.
RunConfig load_config(const std::filesystem::path& file, std::span<const std::string> overrides = {},
                      const PluginCheck& check_plugins = {});

// The same for a text; relative names start in the folder of `file`, which need not exist.
RunConfig parse_config(std::string_view text, const std::filesystem::path& file,
                       std::span<const std::string> overrides = {}, const PluginCheck& check_plugins = {});

// The same for keys that somebody else put together, from several files perhaps: each place names its own.
// `problems` are what is known to be wrong with them already.
RunConfig config_of(Written written, const std::filesystem::path& file, std::vector<Problem> problems = {},
                    const PluginCheck& check_plugins = {});

}  // namespace strata::config
