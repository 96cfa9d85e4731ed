// SPDX-License-Identifier: Apache-2.0
// Reads the structure of a run: steps, phases and module ranges, each begin with its end.
#pragma once

#include "host/analysis/reading/table_reader.hpp"

namespace strata::analysis {

struct Recording;

// Fills run.steps, run.phases and run.modules. Throws RunError if steps are out of order or something ends
// before it begins.
void read_structure(TableReader& tables, Recording& run);

}  // namespace strata::analysis
