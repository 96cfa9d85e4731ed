// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/analysis/reading/table_reader.hpp"

namespace strata::analysis {

struct Recording;

// Reads what the plugin warmup_analyzer wrote into run.warm_up. Throws RunError where a time is none.
void read_warm_up(TableReader& tables, const StoreFile& file, Recording& run);

}  // namespace strata::analysis
