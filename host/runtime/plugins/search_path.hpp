// SPDX-License-Identifier: Apache-2.0
// Where plugins and sources are looked for, and under which file names.
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
// strata/plugins or strata/sources beside libstrata.so. Folders that do not exist are kept: messages name
// them.
std::vector<std::filesystem::path> search_folders(PluginKind kind,
                                                  const std::vector<std::filesystem::path>& session_path);

// The files that `name` may be: itself when it holds a '/', else lib<name>.so and <name>.so in each folder.
std::vector<std::filesystem::path> candidate_files(std::string_view name,
                                                   const std::vector<std::filesystem::path>& folders);

// The shared objects of the folders, those of an earlier folder first, and within one by name. A file that an
// earlier folder's file of the same name hides is left out.
std::vector<std::filesystem::path> plugin_files(const std::vector<std::filesystem::path>& folders);

// The name by which a configuration asks for a file: its stem, without "lib".
std::string plugin_name(const std::filesystem::path& file);

}  // namespace strata
