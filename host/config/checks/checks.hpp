// SPDX-License-Identifier: Apache-2.0
// Rules that involve more than one key.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "host/config/problem.hpp"
#include "host/config/run_config.hpp"
#include "host/config/schema/written.hpp"

namespace strata::config {

// Adds a problem for each violated rule whose keys are themselves valid, and fills `data.files`.
void check(const Written& written, RunConfig& config, std::vector<Problem>& problems);

// The file's name without its extension, with '-' for characters not allowed in a folder's name.
std::string default_name(const std::filesystem::path& file);

}  // namespace strata::config
