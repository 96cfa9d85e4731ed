// SPDX-License-Identifier: Apache-2.0
// The `plugins:` list. Options are checked by the plugins themselves (strata/runtime).
#pragma once

#include <filesystem>
#include <vector>

#include "host/config/problem.hpp"
#include "host/config/schema/written.hpp"
#include "strata/runtime/options.hpp"

namespace strata::config {

// The elements of a list node: each a name, or a mapping of one name to its options. A name with a '/' is a
// file, which starts in `base` when it is relative.
std::vector<PluginRequest> read_plugins(const WrittenValue& list, const std::filesystem::path& base,
                                        std::vector<Problem>& problems);

// Adds plugins and replaces their options, as the command line says.
void apply_plugin_overrides(const std::vector<PluginOverride>& overrides, std::vector<PluginRequest>& plugins,
                            std::vector<Problem>& problems);

}  // namespace strata::config
