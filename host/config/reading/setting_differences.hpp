// SPDX-License-Identifier: Apache-2.0
// The differences between two resolved configurations.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace strata::config {

struct SettingDifference {
  std::string key;          // "model.layers"
  std::string base, other;  // YAML on one line; empty if the key does not exist
};

// By key, in the order of the files. A list is one value. Throws ConfigError if a file is not a
// configuration.
std::vector<SettingDifference> setting_differences(const std::filesystem::path& base,
                                                   const std::filesystem::path& other);

}  // namespace strata::config
