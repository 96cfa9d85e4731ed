// SPDX-License-Identifier: Apache-2.0
// Opens a run directory and reads the store of one process.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "host/analysis/recording/recording.hpp"

namespace strata::analysis {

// The k of `rank<k>`; empty if the folder has another name.
std::optional<std::uint64_t> rank_of_folder(const std::filesystem::path& folder);

// Among several processes, reads the one that recorded memory, lowest rank first. Other processes of the same
// rank are listed in the warnings, as are missing optional data and all gaps. With `rank`, only that one is
// considered. With `device` ("cuda:1", "cpu", "pinned"), reads that device's memory, otherwise that of the
// most used CUDA device, or the CPU. Read-only. Throws RunError.
Recording read_run(const std::filesystem::path& run_directory, std::optional<std::uint64_t> rank = {},
                   ReadingDetail detail = ReadingDetail::kReport, const std::string& device = {});

}  // namespace strata::analysis
