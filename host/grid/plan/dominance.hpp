// SPDX-License-Identifier: Apache-2.0
// limits.skip_dominated: what runs out of memory with less of something will do so with more of it.
#pragma once

#include <string>
#include <vector>

#include "host/grid/plan/plan.hpp"

namespace strata::grid {

// Whether `larger` differs from `smaller` along `axes` alone (its seed aside), and is at or beyond it on
// each: by number where both are numbers, else equal.
bool dominates(const Cell& larger, const Cell& smaller, const std::vector<std::string>& axes);

}  // namespace strata::grid
