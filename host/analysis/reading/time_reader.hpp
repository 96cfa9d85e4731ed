// SPDX-License-Identifier: Apache-2.0
// Reads the tables of the plugin cupti_timeline.
#pragma once

#include "host/analysis/reading/table_reader.hpp"

namespace strata::analysis {

struct Recording;

// Into run.time. Rows that contradict others are left out, and counted in the warnings: an ordinal that was
// there before, an end before its begin. Throws RunError for values that no run can have.
void read_time(const StoreFile& file, TableReader& tables, Recording& run);

}  // namespace strata::analysis
