// SPDX-License-Identifier: Apache-2.0
// The output of `strata diff` for two runs.
#pragma once

#include <cstddef>
#include <string>

#include "host/analysis/diff/run_diff.hpp"

namespace strata::report {

// Lines of at most `width` columns; for layers, kinds and allocations the `most` with the largest changes.
// Names and colour as in terminal_report.
std::string diff_table(const analysis::RunDiff& diff, std::size_t most, bool colour, int width);

}  // namespace strata::report
