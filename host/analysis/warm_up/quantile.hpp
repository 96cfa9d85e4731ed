// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

namespace strata::analysis {

// Interpolates between the two neighbouring values; 0 without values.
inline double sorted_quantile(const std::vector<double>& sorted, double share) {
  if (sorted.empty()) return 0.0;
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(std::floor(place));
  const auto above = static_cast<std::size_t>(std::ceil(place));
  return sorted[below] + (sorted[above] - sorted[below]) * (place - std::floor(place));
}

}  // namespace strata::analysis
