// SPDX-License-Identifier: Apache-2.0
// Rules over more than one key.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "host/config/problem.hpp"
#include "host/config/run_config.hpp"
#include "host/config/schema/written.hpp"

namespace strata::config {

// Adds a problem for each broken rule whose keys are themselves sound, and fills `data.files`.
void check(const Written& written, RunConfig& config, std::vector<Problem>& problems);

// The file's name without its extension, with '-' for what a folder's name cannot hold.
std::string default_name(const std::filesystem::path& file);

}  // namespace strata::config
