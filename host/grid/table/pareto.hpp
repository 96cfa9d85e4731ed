// SPDX-License-Identifier: Apache-2.0
// The cells that are Pareto-optimal in memory and time.
#pragma once

#include <cstddef>
#include <vector>

namespace strata::grid {

struct CostPoint {
  double time = 0.0, memory = 0.0;
};

// Indices of the points for which no other point is at most as costly in both values and less costly in one;
// by time, including all equal points.
std::vector<std::size_t> pareto_front(const std::vector<CostPoint>& points);

}  // namespace strata::grid
