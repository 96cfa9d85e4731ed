// SPDX-License-Identifier: Apache-2.0
// Parses the text of a configuration to YAML nodes; it must be one document of reasonable size.
#pragma once

#include <yaml-cpp/yaml.h>

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

namespace strata::config {

// Far larger than any real configuration; prevents reading a wrong file into memory.
inline constexpr std::size_t kLargestFileBytes = std::size_t{1} << 20;

// The whole file, at most kLargestFileBytes. Pipes can also be read. Throws ConfigError.
std::string read_text(const std::filesystem::path& file);

// A mapping. Throws ConfigError if the text is not one non-empty YAML mapping in UTF-8. `source` is its name
// in messages.
YAML::Node parse_document(std::string_view text, const std::string& source);

// A value from the command line. Throws YAML::Exception.
YAML::Node parse_value(const std::string& text);

}  // namespace strata::config
