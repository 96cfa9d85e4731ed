// SPDX-License-Identifier: Apache-2.0
// limits.skip_dominated: a cell that needs at least as much of everything as one that ran out of memory will
// also run out.
#pragma once

#include <string>
#include <vector>

#include "host/grid/plan/plan.hpp"

namespace strata::grid {

// Whether `larger` differs from `smaller` only along `axes` (and in its seed), and is at or above it on each:
// compared as numbers if both are, else equal.
bool dominates(const Cell& larger, const Cell& smaller, const std::vector<std::string>& axes);

}  // namespace strata::grid
