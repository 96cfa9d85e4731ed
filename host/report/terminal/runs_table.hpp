// SPDX-License-Identifier: Apache-2.0
// The output of `strata diff` for more than two runs.
#pragma once

#include <string>
#include <vector>

#include "host/analysis/diff/run_diff.hpp"

namespace strata::report {

// For at least one comparison, all with one base: one column per run, the base first; below the peaks and the
// step time, their differences from the base. Columns that do not fit follow in another table, next to the
// base again. Width, names and colour as in diff_table.
std::string runs_table(const std::vector<analysis::RunDiff>& diffs, bool colour, int width);

}  // namespace strata::report
