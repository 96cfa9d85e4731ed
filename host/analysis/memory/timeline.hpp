// SPDX-License-Identifier: Apache-2.0
// Memory over the run, by category.
#pragma once

#include <optional>
#include <vector>

#include "host/analysis/attribution/blocks.hpp"
#include "host/analysis/facts/block.hpp"
#include "host/analysis/facts/point.hpp"

namespace strata::analysis {

// One point for each change; `blocks` are those of the table, with labels.
std::vector<Point> make_timeline(const std::vector<Block>& blocks, const std::vector<Change>& changes);

// The sum over the categories.
std::uint64_t allocated_bytes(const Point& point);

// The highest point in [begin, end], including the one in effect at its begin; the first if there are
// several. Empty if nothing had been allocated by its end.
std::optional<std::size_t> highest_point(const std::vector<Point>& points, std::uint64_t begin_sequence,
                                         std::uint64_t end_sequence);

// Indices [first, last) of the points within [begin, end].
struct PointRange {
  std::size_t first = 0, last = 0;
};
PointRange points_within(const std::vector<Point>& points, std::uint64_t begin_sequence,
                         std::uint64_t end_sequence);

}  // namespace strata::analysis
