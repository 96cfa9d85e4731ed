// SPDX-License-Identifier: Apache-2.0
// Two runs side by side as text: what `strata diff` prints.
#pragma once

#include <cstddef>
#include <string>

#include "host/analysis/diff/run_diff.hpp"

namespace strata::report {

// Lines of at most `width` columns; of layers, kinds and allocations the `most` that changed most. As
// terminal_report for names and colour.
std::string diff_table(const analysis::RunDiff& diff, std::size_t most, bool colour, int width);

}  // namespace strata::report
