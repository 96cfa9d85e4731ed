// SPDX-License-Identifier: Apache-2.0
// File names as people write them in YAML.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace strata::config {

// `~` in front and `${VARIABLE}` anywhere replaced. Throws std::invalid_argument, with a message for the
// user, when a variable is not set or the braces do not close.
std::string expand_variables(std::string_view text);

// `text` after expand_variables as a pattern of absolute file names; a relative one starts in `base`, whose
// own letters are never a pattern.
std::string absolute_pattern(std::string_view text, const std::filesystem::path& base);

}  // namespace strata::config
