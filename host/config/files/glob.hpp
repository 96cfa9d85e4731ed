// SPDX-License-Identifier: Apache-2.0
// Patterns of file names, with `**` for any number of folders, which glob(3) lacks.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace strata::config {

// A file name as a pattern that matches only itself.
std::string escape_pattern(std::string_view file_name);

// The regular files that an absolute pattern names, sorted. `*`, `?` and `[...]` match within one name, as
// fnmatch(3) does, and not a leading dot; `**` matches any number of folders and follows no symbolic links;
// a backslash takes the next character as it is. A match that is a folder stands for every file below it that
// is not hidden. Folders that cannot be read count as empty.
std::vector<std::filesystem::path> expand_pattern(std::string_view pattern);

}  // namespace strata::config
