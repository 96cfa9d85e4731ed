// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/checks/cross_check.hpp"

#include <algorithm>

#include "host/analysis/memory/timeline.hpp"
#include "host/analysis/recording/recording.hpp"

namespace strata::analysis {

CrossCheck cross_check(const Recording& run, const std::vector<Point>& points) {
  CrossCheck result;
  const auto is_thinned = [&](const Point& point) { return run.thinned.contains(point.sequence); };
  result.events = points.size() - static_cast<std::size_t>(std::ranges::count_if(points, is_thinned));
  std::vector<bool> compared(points.size());
  for (const MemoryReportRow& report : run.reports) {
    if (run.thinned.contains(report.sequence)) continue;
    const auto point = std::lower_bound(
        points.begin(), points.end(), report.sequence,
        [](const Point& earlier, std::uint64_t sequence) { return earlier.sequence < sequence; });
    if (point == points.end() || point->sequence != report.sequence) {
      ++result.reports_without_event;
      continue;
    }
    compared[static_cast<std::size_t>(point - points.begin())] = true;
    const std::uint64_t allocated = allocated_bytes(*point);
    if (allocated == report.allocated_bytes) continue;
    ++result.mismatches;
    if (!result.first_mismatch || report.sequence < result.first_mismatch->sequence) {
      result.first_mismatch = {report.sequence, allocated, report.allocated_bytes};
    }
  }
  result.events_compared = static_cast<std::uint64_t>(std::count(compared.begin(), compared.end(), true));
  return result;
}

}  // namespace strata::analysis
