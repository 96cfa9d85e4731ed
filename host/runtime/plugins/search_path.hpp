// SPDX-License-Identifier: Apache-2.0
// Where to look for plugins and sources, and under which file names.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace strata {

enum class PluginKind { kPlugin, kSource };

// "plugin" or "source".
std::string_view kind_name(PluginKind kind);

// In order: `session_path`, the absolute folders of STRATA_PLUGIN_PATH (separated by ':'), then
// strata/plugins or strata/sources next to libstrata.so. Folders that do not exist are included, because
// messages list them.
std::vector<std::filesystem::path> search_folders(PluginKind kind,
                                                  const std::vector<std::filesystem::path>& session_path);

// The folders of STRATA_PLUGIN_PATH that are not searched, because their paths are not absolute.
std::vector<std::string> relative_environment_folders();

// The possible files for `name`: the path itself if it has a '/', else lib<name>.so and <name>.so in each
// folder.
std::vector<std::filesystem::path> candidate_files(std::string_view name,
                                                   const std::vector<std::filesystem::path>& folders);

// The shared objects in the folders, in the order of the folders, then by name. A file is left out if an
// earlier folder has a file of the same name.
std::vector<std::filesystem::path> plugin_files(const std::vector<std::filesystem::path>& folders);

// The name of a file in a configuration: its stem, without "lib".
std::string plugin_name(const std::filesystem::path& file);

}  // namespace strata
