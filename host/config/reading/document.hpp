// SPDX-License-Identifier: Apache-2.0
// The text of a configuration as YAML nodes, once it is known to be one document of reasonable size.
#pragma once

#include <yaml-cpp/yaml.h>

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

namespace strata::config {

// Far above any real configuration; keeps a wrong file from being read into memory.
inline constexpr std::size_t kLargestFileBytes = std::size_t{1} << 20;

// The whole file, at most kLargestFileBytes. Pipes may be read too. Throws ConfigError.
std::string read_text(const std::filesystem::path& file);

// A mapping. Throws ConfigError on what is not one non-empty YAML mapping in UTF-8. `source` names it in
// messages.
YAML::Node parse_document(std::string_view text, const std::string& source);

// A value on the command line. Throws YAML::Exception.
YAML::Node parse_value(const std::string& text);

}  // namespace strata::config
