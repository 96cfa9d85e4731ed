// SPDX-License-Identifier: Apache-2.0
// The allocations selected by a detail, for scripts.
#pragma once

#include <string>

namespace strata::analysis {

struct Facts;

// The output of `strata report --detail 10% --json`: strata.detail/1 of docs/report.md, ending in a newline.
// `detail` as in largest_blocks(), including exceptions.
std::string detail_document(const Facts& facts, double detail);

}  // namespace strata::analysis
