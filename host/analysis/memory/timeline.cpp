// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/memory/timeline.hpp"

#include <algorithm>

namespace strata::analysis {

std::vector<Point> make_timeline(const std::vector<Block>& blocks, const std::vector<Change>& changes) {
  std::vector<Point> points;
  points.reserve(changes.size());
  Point now;
  for (const Change& change : changes) {
    now.sequence = change.sequence;
    now.ns = std::max(now.ns, change.ns);  // two threads may read the clock in another order than the events'
    if (change.died != kNoBlock) {
      const Block& block = blocks[change.died];
      now.bytes[static_cast<std::size_t>(block.category)] -= block.bytes;
      now.rounding_bytes -= block.rounding_bytes;
    }
    if (change.born != kNoBlock) {
      const Block& block = blocks[change.born];
      now.bytes[static_cast<std::size_t>(block.category)] += block.bytes;
      now.rounding_bytes += block.rounding_bytes;
    }
    points.push_back(now);
  }
  return points;
}

std::uint64_t allocated_bytes(const Point& point) {
  return sum(point.bytes);
}

PointRange points_within(const std::vector<Point>& points, std::uint64_t begin_sequence,
                         std::uint64_t end_sequence) {
  const auto first = std::partition_point(
      points.begin(), points.end(), [&](const Point& point) { return point.sequence < begin_sequence; });
  const auto last = std::partition_point(first, points.end(),
                                         [&](const Point& point) { return point.sequence <= end_sequence; });
  return {static_cast<std::size_t>(first - points.begin()), static_cast<std::size_t>(last - points.begin())};
}

std::optional<std::size_t> highest_point(const std::vector<Point>& points, std::uint64_t begin_sequence,
                                         std::uint64_t end_sequence) {
  auto [first, last] = points_within(points, begin_sequence, end_sequence);
  if (first > 0) --first;  // the memory alive when the interval begins
  if (first == last) return std::nullopt;
  const auto begin = points.begin();
  const auto lower = [](const Point& left, const Point& right) {
    return allocated_bytes(left) < allocated_bytes(right);
  };
  return static_cast<std::size_t>(std::max_element(begin + static_cast<std::ptrdiff_t>(first),
                                                   begin + static_cast<std::ptrdiff_t>(last), lower) -
                                  begin);
}

}  // namespace strata::analysis
