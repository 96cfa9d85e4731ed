// SPDX-License-Identifier: Apache-2.0
// Whether a session could load the plugins that a configuration names, before anything of the run exists.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "strata/runtime/export.hpp"
#include "strata/runtime/options.hpp"

namespace strata {

// What the constructor of a Session would refuse of these plugins: files not found or not fit, unknown
// options, values of the wrong type; whole messages with their place, as in SessionError. Opens each file,
// and never closes it; calls neither `init` nor `create`. [loop-thread]
STRATA_RUNTIME_EXPORT std::vector<std::string> check_plugins(
    const std::vector<PluginRequest>& plugins, const std::vector<std::filesystem::path>& plugin_path = {});

}  // namespace strata
