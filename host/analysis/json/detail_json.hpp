// SPDX-License-Identifier: Apache-2.0
// The allocations that a detail leaves, as scripts read them.
#pragma once

#include <string>

namespace strata::analysis {

struct Facts;

// What `strata report --detail 10% --json` prints: strata.detail/1 of docs/report.md, with a line's end.
// `detail` as in largest_blocks(), with its exceptions.
std::string detail_document(const Facts& facts, double detail);

}  // namespace strata::analysis
