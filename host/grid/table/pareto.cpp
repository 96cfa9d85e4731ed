// SPDX-License-Identifier: Apache-2.0
#include "host/grid/table/pareto.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <tuple>

namespace strata::grid {

std::vector<std::size_t> pareto_front(const std::vector<CostPoint>& points) {
  std::vector<std::size_t> order(points.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    return std::tie(points[a].time, points[a].memory) < std::tie(points[b].time, points[b].memory);
  });
  std::vector<std::size_t> front;
  double least = std::numeric_limits<double>::infinity();
  for (const std::size_t index : order) {
    const CostPoint& point = points[index];
    const bool as_the_last = !front.empty() && points[front.back()].time == point.time &&
                             points[front.back()].memory == point.memory;
    if (point.memory < least || as_the_last) front.push_back(index);
    least = std::min(least, point.memory);
  }
  return front;
}

}  // namespace strata::grid
