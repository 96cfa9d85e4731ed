// SPDX-License-Identifier: Apache-2.0
// Minimum, median, maximum and means of memory over a window, by category.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "host/analysis/facts/category.hpp"
#include "host/analysis/facts/point.hpp"
#include "host/analysis/facts/run_interval.hpp"

namespace strata::analysis {

// A value that changes at events and is constant between them. Each event of the window counts the value
// once, whether or not it changed; the mean over time weights a value by its duration. The value at the begin
// of the window counts for min and max, as for the peak.
class LevelStatistics {
 public:
  // `bytes` is the value at the begin of the window.
  LevelStatistics(std::uint64_t bytes, std::int64_t window_begin_ns)
      : bytes_(bytes), since_ns_(window_begin_ns) {}

  // The value after the `event`-th event of the window, counted from 0.
  void change(std::uint64_t bytes, std::uint64_t event, std::int64_t ns);
  std::uint64_t bytes() const { return bytes_; }
  // For an even number of events the median is half of the sum of the middle two, rounded down. A window
  // without events has one value.
  CategoryStatistics finish(std::uint64_t events, std::int64_t window_end_ns);

 private:
  struct Stay {
    std::uint64_t events = 0;
    std::int64_t ns = 0;
  };
  void close(std::uint64_t event, std::int64_t ns);

  std::uint64_t bytes_;
  std::uint64_t since_event_ = 0;
  std::int64_t since_ns_;
  std::unordered_map<std::uint64_t, Stay> stays_;  // by value: those of a step recur in the next one
};

struct WindowStatistics {
  std::array<CategoryStatistics, kCategories> categories{};
  CategoryStatistics total;
};

WindowStatistics window_statistics(const std::vector<Point>& points, const Window& window);

}  // namespace strata::analysis
