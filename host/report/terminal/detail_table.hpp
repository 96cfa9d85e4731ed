// SPDX-License-Identifier: Apache-2.0
// The allocations that a detail leaves, on the terminal.
#pragma once

#include <cstddef>
#include <string>

#include "host/analysis/facts/forward.hpp"

namespace strata::report {

struct DetailTableOptions {
  double detail = 0.1;    // as in analysis::largest_blocks(), with its exceptions
  std::size_t rows = 40;  // of blocks that are alike
};

// The largest first, alike ones in one row, each with all that is known of it.
std::string detail_table(const analysis::Facts& facts, const DetailTableOptions& options, bool colour,
                         int width);

}  // namespace strata::report
