// SPDX-License-Identifier: Apache-2.0
// The allocations selected by a detail, on the terminal.
#pragma once

#include <cstddef>
#include <string>

#include "host/analysis/facts/forward.hpp"

namespace strata::report {

struct DetailTableOptions {
  double detail = 0.1;    // as in analysis::largest_blocks(), with its exceptions
  std::size_t rows = 40;  // of similar blocks
};

// Largest first, similar ones in one row, with all known properties.
std::string detail_table(const analysis::Facts& facts, const DetailTableOptions& options, bool colour,
                         int width);

}  // namespace strata::report
