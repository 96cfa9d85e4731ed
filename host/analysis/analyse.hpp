// SPDX-License-Identifier: Apache-2.0
// From a run directory to facts.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "host/analysis/attribution/attribution.hpp"
#include "host/analysis/facts/facts.hpp"
#include "host/analysis/recording/recording.hpp"

namespace strata::analysis {

// Reads the run, of several ranks and devices one as read_run chooses it, and works out blocks, categories,
// timeline, statistics and peak. Spools that a killed process left behind must have been drained
// (strata::recover_run). Throws RunError (run_reader.hpp) when the directory is not a run or a store cannot
// be read; whatever else is odd is said in Facts::warnings.
Facts analyse(const std::filesystem::path& run_directory, std::optional<std::uint64_t> rank = {},
              const std::string& device = {});

// The same from rows that were read already, which it uses up; `method` is another one than the standard in
// tests alone.
Facts analyse(Recording run, const Method& method = {});

}  // namespace strata::analysis
