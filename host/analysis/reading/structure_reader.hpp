// SPDX-License-Identifier: Apache-2.0
// Reads what divides a run: steps, phases and the ranges of modules, each begin with its end.
#pragma once

#include "host/analysis/reading/table_reader.hpp"

namespace strata::analysis {

struct Recording;

// Into run.steps, run.phases and run.modules. Throws RunError where steps are out of order or something ends
// before it begins.
void read_structure(TableReader& tables, Recording& run);

}  // namespace strata::analysis
