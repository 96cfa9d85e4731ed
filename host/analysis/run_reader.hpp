// Opens a run directory and reads the store of one process.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "host/analysis/recording.hpp"

namespace strata::analysis {

// Of several processes the one that recorded memory, the lowest rank first, is read; other ones of the same
// rank are named in the warnings. So is everything that is missing but not needed, and every gap. With
// `rank`, only that one is looked at. Only reads. Throws RunError.
Recording read_run(const std::filesystem::path& run_directory, std::optional<std::uint64_t> rank = {},
                   Detail detail = Detail::kReport);

}  // namespace strata::analysis
