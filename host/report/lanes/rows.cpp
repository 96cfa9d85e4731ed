// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "host/report/lanes/lanes.hpp"

namespace strata::report {

std::uint32_t place_in_rows(std::vector<LaneStretch>& stretches, std::uint32_t most) {
  std::vector<std::int64_t> ends;  // of the last stretch of each row
  std::vector<LaneStretch> placed;
  placed.reserve(stretches.size());
  for (LaneStretch stretch : stretches) {
    const auto free =
        std::ranges::find_if(ends, [&](std::int64_t end_ns) { return end_ns <= stretch.begin_ns; });
    stretch.row = static_cast<std::uint32_t>(free - ends.begin());
    if (stretch.row == most) continue;
    if (free == ends.end())
      ends.push_back(stretch.end_ns);
    else
      *free = stretch.end_ns;
    placed.push_back(stretch);
  }
  stretches = std::move(placed);
  return static_cast<std::uint32_t>(ends.size());
}

}  // namespace strata::report
