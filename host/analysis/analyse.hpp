// SPDX-License-Identifier: Apache-2.0
// Computes the facts of a run directory.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "host/analysis/attribution/attribution.hpp"
#include "host/analysis/facts/facts.hpp"
#include "host/analysis/recording/recording.hpp"

namespace strata::analysis {

// Reads the run, choosing among ranks and devices like read_run, and computes blocks, categories, timeline,
// statistics and peak. Spools left by a killed process must have been drained (strata::recover_run). Throws
// RunError (run_reader.hpp) if the directory is not a run or a store cannot be read; other anomalies are
// listed in Facts::warnings.
Facts analyse(const std::filesystem::path& run_directory, std::optional<std::uint64_t> rank = {},
              const std::string& device = {});

// The same for rows that were already read; consumes them. Only tests pass a `method` other than the standard
// one.
Facts analyse(Recording run, const Method& method = {});

}  // namespace strata::analysis
