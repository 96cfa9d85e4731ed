// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "host/analysis/reading/store_file.hpp"
#include "host/analysis/recording/recording.hpp"

namespace strata::analysis {

// Every row that analysis needs, typed, checked and sorted. Reads the tables and none of the views. A table
// that is missing is an empty one, with a warning where one should be there. Throws RunError for a schema
// other than strata.store/1, for values that no run can have, and for a `device` that the run has none of;
// empty: choose_device's own. `allocator_settings`: as the run's manifest has them.
Recording read_store(const StoreFile& file, ReadingDetail detail = ReadingDetail::kReport, const std::string& device = {},
                     const std::optional<std::string>& allocator_settings = {});

}  // namespace strata::analysis
