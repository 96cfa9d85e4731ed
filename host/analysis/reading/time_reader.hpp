// SPDX-License-Identifier: Apache-2.0
// Reads the tables of the plugin cupti_timeline.
#pragma once

#include "host/analysis/reading/table_reader.hpp"

namespace strata::analysis {

struct Recording;

// Fills run.time. Contradictory rows (a repeated ordinal, an end before its begin) are skipped and counted in
// the warnings. Throws RunError for impossible values.
void read_time(const StoreFile& file, TableReader& tables, Recording& run);

}  // namespace strata::analysis
