// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "host/report/lanes/lanes.hpp"

namespace strata::report {

std::uint32_t place_in_rows(std::vector<LaneInterval>& intervals, std::uint32_t most) {
  std::vector<std::int64_t> ends;  // of the last interval of each row
  std::vector<LaneInterval> placed;
  placed.reserve(intervals.size());
  for (LaneInterval interval : intervals) {
    const auto free =
        std::ranges::find_if(ends, [&](std::int64_t end_ns) { return end_ns <= interval.begin_ns; });
    interval.row = static_cast<std::uint32_t>(free - ends.begin());
    if (interval.row == most) continue;
    if (free == ends.end())
      ends.push_back(interval.end_ns);
    else
      *free = interval.end_ns;
    placed.push_back(interval);
  }
  intervals = std::move(placed);
  return static_cast<std::uint32_t>(ends.size());
}

}  // namespace strata::report
