// SPDX-License-Identifier: Apache-2.0
// The high moments of an interval of the timeline other than its peak.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "host/analysis/facts/point.hpp"
#include "host/analysis/memory/timeline.hpp"

namespace strata::analysis {

struct HighPoint {
  std::size_t point = 0;           // index into the points
  std::uint64_t valley_bytes = 0;  // the minimum between it and the peak
};

// Among the points in `range`, whose highest is `peak`: the highest one that is at least `depth_bytes` above
// some point between it and the peak; the earlier of two equal ones. Empty if values only rise to the peak
// and fall after it, except for smaller dips. One pass.
std::optional<HighPoint> next_highest_place(const std::vector<Point>& points, PointRange range,
                                            std::size_t peak, std::uint64_t depth_bytes);

// Among the points in `range`, the highest one for which `excluded` is false; the first if there are several.
std::optional<HighPoint> highest_outside(const std::vector<Point>& points, PointRange range, std::size_t peak,
                                         PointRange excluded);

}  // namespace strata::analysis
