// SPDX-License-Identifier: Apache-2.0
// A run in which nothing repeats: the hardest that a page of so many allocations can be given.
#pragma once

#include <cstddef>

#include "host/analysis/facts/facts.hpp"

namespace strata::report::testing {

// Sizes from 512 bytes to 512 MiB, whole multiples as allocators give them, and lives from one event to
// 20,000, both even over their logarithms, of five thousand sites; in steps of 5,000 allocations. The same
// for the same number.
analysis::Facts irregular_run(std::size_t allocations);

}  // namespace strata::report::testing
