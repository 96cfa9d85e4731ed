// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/peak/high_points.hpp"

#include <algorithm>

namespace strata::analysis {
namespace {

bool is_better(const std::vector<Point>& points, std::size_t candidate,
               const std::optional<HighPoint>& best) {
  if (!best) return true;
  const std::uint64_t bytes = allocated_bytes(points[candidate]);
  const std::uint64_t best_bytes = allocated_bytes(points[best->point]);
  return bytes != best_bytes ? bytes > best_bytes : candidate < best->point;
}

// Walks from the peak outwards, and passes each point and the minimum in between to `visit`.
template <typename Visit>
void go_outwards(const std::vector<Point>& points, PointRange range, std::size_t peak, const Visit& visit) {
  std::uint64_t valley = allocated_bytes(points[peak]);
  const auto look = [&](std::size_t index) {
    visit(index, valley);
    valley = std::min(valley, allocated_bytes(points[index]));
  };
  for (std::size_t index = peak; index-- > range.first;) look(index);
  valley = allocated_bytes(points[peak]);
  for (std::size_t index = peak + 1; index < range.last; ++index) look(index);
}

}  // namespace

std::optional<HighPoint> next_highest_place(const std::vector<Point>& points, PointRange range,
                                            std::size_t peak, std::uint64_t depth_bytes) {
  std::optional<HighPoint> best;
  go_outwards(points, range, peak, [&](std::size_t index, std::uint64_t valley) {
    const std::uint64_t bytes = allocated_bytes(points[index]);
    if (bytes > valley && bytes - valley >= depth_bytes && is_better(points, index, best))
      best = HighPoint{index, valley};
  });
  return best;
}

std::optional<HighPoint> highest_outside(const std::vector<Point>& points, PointRange range, std::size_t peak,
                                         PointRange excluded) {
  std::optional<HighPoint> best;
  go_outwards(points, range, peak, [&](std::size_t index, std::uint64_t valley) {
    if (index >= excluded.first && index < excluded.last) return;
    if (is_better(points, index, best))
      best = HighPoint{index, std::min(valley, allocated_bytes(points[index]))};
  });
  return best;
}

}  // namespace strata::analysis
