// SPDX-License-Identifier: Apache-2.0
// Patterns of file names, with `**` for any number of folders, which glob(3) lacks.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace strata::config {

// Escapes a file name to a pattern that matches only itself.
std::string escape_pattern(std::string_view file_name);

// The regular files that match an absolute pattern, sorted. `*`, `?` and `[...]` match within one name, as in
// fnmatch(3), but not a leading dot; `**` matches any number of folders and does not follow symbolic links; a
// backslash escapes the next character. A matching folder stands for all files below it that are not hidden.
// Unreadable folders count as empty.
std::vector<std::filesystem::path> expand_pattern(std::string_view pattern);

}  // namespace strata::config
