// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "host/analysis/reading/store_file.hpp"
#include "host/analysis/recording/recording.hpp"

namespace strata::analysis {

// Reads all rows needed by analysis, typed, checked and sorted. Uses only tables, no views. A missing table
// counts as empty, with a warning if it is expected. Throws RunError for a schema other than strata.store/1,
// for impossible values, and for a `device` that the run does not have; if empty, choose_device chooses.
// `allocator_settings` come from the run's manifest.
Recording read_store(const StoreFile& file, ReadingDetail detail = ReadingDetail::kReport,
                     const std::string& device = {},
                     const std::optional<std::string>& allocator_settings = {});

}  // namespace strata::analysis
