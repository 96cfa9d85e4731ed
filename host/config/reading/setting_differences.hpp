// SPDX-License-Identifier: Apache-2.0
// What two resolved configurations say differently.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace strata::config {

struct SettingDifference {
  std::string key;          // "model.layers"
  std::string base, other;  // as YAML would say it on one line; empty where there is no such key
};

// By key, in the order of the files. A list is one value. Throws ConfigError when a file is no configuration.
std::vector<SettingDifference> setting_differences(const std::filesystem::path& base,
                                                   const std::filesystem::path& other);

}  // namespace strata::config
