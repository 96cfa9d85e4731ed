// SPDX-License-Identifier: Apache-2.0
// What a configuration means to the runtime.
#pragma once

#include <filesystem>

#include "host/config/run_config.hpp"
#include "host/trainer/entry.hpp"
#include "strata/runtime/options.hpp"

namespace strata::cli {

// Of the rank at `place`. With no plugin that would listen, no source is loaded either.
SessionOptions session_options(const config::RunConfig& config, const std::filesystem::path& directory,
                               const trainer::RankPlace& place = {});

}  // namespace strata::cli
