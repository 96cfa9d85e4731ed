// SPDX-License-Identifier: Apache-2.0
// A run without repetition: the hardest input of its size for a page.
#pragma once

#include <cstddef>

#include "host/analysis/facts/facts.hpp"

namespace strata::report::testing {

// Sizes from 512 bytes to 512 MiB, in whole multiples as from an allocator, and lifetimes from one event
// to 20,000, both uniform in their logarithms, from five thousand sites; in steps of 5,000 allocations.
// The same number gives the same run.
analysis::Facts irregular_run(std::size_t allocations);

}  // namespace strata::report::testing
