// SPDX-License-Identifier: Apache-2.0
// Converts a configuration to options of the runtime.
#pragma once

#include <filesystem>

#include "host/config/run_config.hpp"
#include "host/trainer/entry.hpp"
#include "strata/runtime/options.hpp"

namespace strata::cli {

// For the rank at `place`. If no plugin would listen, no source is loaded either.
SessionOptions session_options(const config::RunConfig& config, const std::filesystem::path& directory,
                               const trainer::RankPlace& place = {});

}  // namespace strata::cli
