// SPDX-License-Identifier: Apache-2.0
// The high moments of a interval of the timeline beside its highest.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "host/analysis/facts/point.hpp"
#include "host/analysis/memory/timeline.hpp"

namespace strata::analysis {

struct HighPoint {
  std::size_t point = 0;           // index into the points
  std::uint64_t valley_bytes = 0;  // the least between it and the peak
};

// Of the points in `range`, whose highest is `peak`: the highest that lies `depth_bytes` or more above some
// point between it and the peak; the earlier of two that are equal. Nothing when the level only rises to the
// peak and falls after it, but for smaller notches. One pass.
std::optional<HighPoint> next_highest_place(const std::vector<Point>& points, PointRange range,
                                            std::size_t peak, std::uint64_t depth_bytes);

// Of the points in `range`, the highest that `excluded` does not hold; the first of several.
std::optional<HighPoint> highest_outside(const std::vector<Point>& points, PointRange range, std::size_t peak,
                                         PointRange excluded);

}  // namespace strata::analysis
