// SPDX-License-Identifier: Apache-2.0
// Opens a run directory and reads the store of one process.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "host/analysis/recording/recording.hpp"

namespace strata::analysis {

// The k of `rank<k>`; nothing where the folder has another name.
std::optional<std::uint64_t> rank_of_folder(const std::filesystem::path& folder);

// Of several processes the one that recorded memory, the lowest rank first, is read; other ones of the same
// rank are named in the warnings. So is everything that is missing but not needed, and every gap. With
// `rank`, only that one is looked at; with `device` ("cuda:1", "cpu", "pinned"), that device's memory, else
// that of the CUDA device that was used most, or the CPU's. Only reads. Throws RunError.
Recording read_run(const std::filesystem::path& run_directory, std::optional<std::uint64_t> rank = {},
                   ReadingDetail detail = ReadingDetail::kReport, const std::string& device = {});

}  // namespace strata::analysis
