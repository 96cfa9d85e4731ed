// SPDX-License-Identifier: Apache-2.0
// Several runs side by side as text: what `strata diff` prints of more than two.
#pragma once

#include <string>
#include <vector>

#include "host/analysis/diff/run_diff.hpp"

namespace strata::report {

// Of comparisons with one base, at least one: a column a run, the base's first, and below the peaks and the
// step's time how much they differ from it. Columns that have no room follow in a table of their own, beside
// the base again. As diff_table for width, names and colour.
std::string runs_table(const std::vector<analysis::RunDiff>& diffs, bool colour, int width);

}  // namespace strata::report
