// SPDX-License-Identifier: Apache-2.0
// Compared runs as Markdown tables: for the summary of a CI job, or a comment on a change.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "host/analysis/diff/run_diff.hpp"

namespace strata::report {

// One table for each comparison: peaks, categories, kinds and layers (of kinds and layers the `most` with the
// largest changes), then its gates. Names are in code spans, so that they are not interpreted as markup.
std::string diff_markdown(const std::vector<analysis::RunDiff>& diffs, std::size_t most);

}  // namespace strata::report
