// SPDX-License-Identifier: Apache-2.0
// Checks whether a session could load the configured plugins, before anything of the run exists.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "strata/runtime/export.hpp"
#include "strata/runtime/options.hpp"

namespace strata {

// Returns the reasons for which the constructor of Session would reject these plugins: files not found or
// unsuitable, unknown options, values of the wrong type. Complete messages with their place, as in
// SessionError. Opens each file and never closes it; calls neither `init` nor `create`. [loop-thread]
STRATA_RUNTIME_EXPORT std::vector<std::string> check_plugins(
    const std::vector<PluginRequest>& plugins, const std::vector<std::filesystem::path>& plugin_path = {});

}  // namespace strata
