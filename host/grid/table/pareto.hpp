// SPDX-License-Identifier: Apache-2.0
// Which cells no other cell beats in memory and time at once.
#pragma once

#include <cstddef>
#include <vector>

namespace strata::grid {

struct CostPoint {
  double time = 0.0, memory = 0.0;
};

// Indices of the points such that no other is at most as costly in both and less in one; by time, and of
// equal points all.
std::vector<std::size_t> pareto_front(const std::vector<CostPoint>& points);

}  // namespace strata::grid
