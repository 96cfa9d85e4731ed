// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/time/intervals.hpp"

#include <algorithm>

namespace strata::analysis {

Intervals united(std::vector<Interval> intervals) {
  std::erase_if(intervals, [](const Interval& interval) { return interval.end_ns <= interval.begin_ns; });
  std::ranges::sort(intervals, {}, &Interval::begin_ns);
  Intervals result;
  for (const Interval& interval : intervals) {
    if (!result.empty() && interval.begin_ns <= result.back().end_ns) {
      result.back().end_ns = std::max(result.back().end_ns, interval.end_ns);
    } else {
      result.push_back(interval);
    }
  }
  return result;
}

Intervals intersection(const Intervals& left, const Intervals& right) {
  Intervals result;
  for (auto a = left.begin(), b = right.begin(); a != left.end() && b != right.end();) {
    const Interval both{std::max(a->begin_ns, b->begin_ns), std::min(a->end_ns, b->end_ns)};
    if (both.begin_ns < both.end_ns) result.push_back(both);
    a->end_ns < b->end_ns ? ++a : ++b;
  }
  return result;
}

Intervals gaps(const Intervals& covered, Interval bounds) {
  Intervals result;
  std::int64_t at = bounds.begin_ns;
  for (const Interval& interval : covered) {
    if (interval.end_ns <= at) continue;
    if (interval.begin_ns >= bounds.end_ns) break;
    if (interval.begin_ns > at) result.push_back({at, interval.begin_ns});
    at = interval.end_ns;
  }
  if (at < bounds.end_ns) result.push_back({at, bounds.end_ns});
  return result;
}

std::int64_t length_ns(const Intervals& intervals) {
  std::int64_t sum = 0;
  for (const Interval& interval : intervals) sum += interval.length_ns();
  return sum;
}

std::int64_t covered_ns(const Intervals& intervals, Interval interval) {
  auto at = std::ranges::upper_bound(intervals, interval.begin_ns, {}, &Interval::end_ns);
  std::int64_t sum = 0;
  for (; at != intervals.end() && at->begin_ns < interval.end_ns; ++at)
    sum += std::min(at->end_ns, interval.end_ns) - std::max(at->begin_ns, interval.begin_ns);
  return sum;
}

}  // namespace strata::analysis
