// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/memory/statistics.hpp"

#include <algorithm>
#include <map>

#include "host/analysis/memory/timeline.hpp"

namespace strata::analysis {

void LevelStatistics::close(std::uint64_t event, std::int64_t ns) {
  Stay& stay = stays_[bytes_];
  stay.events += event - since_event_;
  stay.ns += std::max<std::int64_t>(0, ns - since_ns_);
  since_event_ = event;
  since_ns_ = std::max(ns, since_ns_);
}

void LevelStatistics::change(std::uint64_t bytes, std::uint64_t event, std::int64_t ns) {
  if (bytes == bytes_) return;
  close(event, ns);
  bytes_ = bytes;
}

CategoryStatistics LevelStatistics::finish(std::uint64_t events, std::int64_t window_end_ns) {
  close(events, window_end_ns);
  const std::map<std::uint64_t, Stay> levels(stays_.begin(), stays_.end());
  long double over_time = 0.0L, over_events = 0.0L;
  std::int64_t time_ns = 0;
  for (const auto& [bytes, stay] : levels) {
    over_time += static_cast<long double>(bytes) * static_cast<long double>(stay.ns);
    over_events += static_cast<long double>(bytes) * static_cast<long double>(stay.events);
    time_ns += stay.ns;
  }
  CategoryStatistics result;
  result.mean_over_time = static_cast<double>(time_ns > 0 ? over_time / static_cast<long double>(time_ns)
                                                          : static_cast<long double>(bytes_));
  result.min = levels.begin()->first;
  result.max = levels.rbegin()->first;
  if (events == 0) {
    result.median = bytes_;
    result.mean_over_events = static_cast<double>(bytes_);
    return result;
  }

  const auto level_of = [&](std::uint64_t rank) {
    auto level = levels.begin();
    for (; rank >= level->second.events; ++level) rank -= level->second.events;
    return level->first;
  };
  const std::uint64_t below = level_of((events - 1) / 2);
  result.median = below + (level_of(events / 2) - below) / 2;
  result.mean_over_events = static_cast<double>(over_events / static_cast<long double>(events));
  return result;
}

WindowStatistics window_statistics(const std::vector<Point>& points, const Window& window) {
  const PointRange range = points_within(points, window.begin_sequence, window.end_sequence);
  const Point initial = range.first > 0 ? points[range.first - 1] : Point{};
  std::vector<LevelStatistics> by_category;
  for (const std::uint64_t level : initial.bytes) by_category.emplace_back(level, window.begin_ns);
  LevelStatistics total(allocated_bytes(initial), window.begin_ns);

  for (std::size_t index = range.first; index < range.last; ++index) {
    const Point& point = points[index];
    const std::uint64_t event = index - range.first;
    for (std::size_t category = 0; category < kCategories; ++category) {
      by_category[category].change(point.bytes[category], event, point.ns);
    }
    total.change(allocated_bytes(point), event, point.ns);
  }

  const std::uint64_t events = range.last - range.first;
  WindowStatistics result;
  for (std::size_t category = 0; category < kCategories; ++category) {
    result.categories[category] = by_category[category].finish(events, window.end_ns);
  }
  result.total = total.finish(events, window.end_ns);
  return result;
}

}  // namespace strata::analysis
