// SPDX-License-Identifier: Apache-2.0
// Expands file names as written in YAML, and finds the configurations that are shipped with Strata.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace strata::config {

// Replaces a leading `~` and any `${VARIABLE}`. Throws std::invalid_argument, with a message for the user, if
// a variable is not set or a brace is not closed.
std::string expand_variables(std::string_view text);

// Converts `text`, after expand_variables, to a pattern of absolute file names. A relative one starts in
// `base`, whose characters are never interpreted as a pattern.
std::string absolute_pattern(std::string_view text, const std::filesystem::path& base);

// For users with an installation and no checkout: `named` if it exists or Strata ships no such file; else the
// file in share/strata next to the program's folder, as for "configs/lora-7b.yaml". Absolute paths are
// unchanged.
std::filesystem::path shipped_file(const std::filesystem::path& named);

}  // namespace strata::config
