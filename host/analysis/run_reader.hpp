// Opens a run directory and reads the store of one process.
#pragma once

#include <filesystem>

#include "host/analysis/recording.hpp"

namespace strata::analysis {

// Of several processes the one that recorded memory, the lowest rank first, is read; the others are named in
// the warnings. So is everything that is missing but not needed, and every gap. Only reads. Throws RunError.
Recording read_run(const std::filesystem::path& run_directory);

}  // namespace strata::analysis
