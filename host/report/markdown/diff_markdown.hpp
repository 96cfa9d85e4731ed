// SPDX-License-Identifier: Apache-2.0
// Runs compared as Markdown tables: for the summary of a CI job, or a comment on a change.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "host/analysis/diff/run_diff.hpp"

namespace strata::report {

// A table of each comparison: peaks, categories, kinds and layers, of the last two the `most` that changed
// most; then its gates. Names stand in code spans, so that no name is markup.
std::string diff_markdown(const std::vector<analysis::RunDiff>& diffs, std::size_t most);

}  // namespace strata::report
