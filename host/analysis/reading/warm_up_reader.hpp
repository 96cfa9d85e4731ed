// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/analysis/reading/table_reader.hpp"

namespace strata::analysis {

struct Recording;

// Reads the rows of the plugin warmup_analyzer into run.warm_up. Throws RunError for an invalid time.
void read_warm_up(TableReader& tables, const StoreFile& file, Recording& run);

}  // namespace strata::analysis
