// SPDX-License-Identifier: Apache-2.0
// A run's memory over time, reduced to few enough states for a page without losing a peak.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "host/analysis/facts/forward.hpp"
#include "host/analysis/facts/point.hpp"

namespace strata::report {

// Equal columns of the time from begin_ns to end_ns.
struct Columns {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;  // greater than begin_ns
  std::size_t count = 1;
};

// Each column shows the state with the largest total that was in effect at any time in it, including the one
// at its begin; the first if several are equal. So no peak is lost, and a column's categories belong to one
// moment.
//
// `points` are in event order, begin at begin_ns or later and end before end_ns. A time that goes backwards
// (threads read their clocks independently) counts as the largest before it. `entered` is the state before
// the first of them. In the result, `ns` is when a state begins to be shown (begin_ns for the first), and
// neighbours differ.
std::vector<analysis::Point> largest_by_column(std::span<const analysis::Point> points,
                                               const analysis::Point& entered, const Columns& columns);

// From the first to after the last recorded event.
struct RunTime {
  std::int64_t begin_ns = 0, end_ns = 0;
};
RunTime run_time(const analysis::MemoryFacts& facts);

struct Timeline {
  std::int64_t begin_ns = 0, end_ns = 0;
  std::vector<analysis::Point> points;  // `ns`: when the state begins to be shown
  std::int64_t column_ns = 0;           // length of the columns; 0: every state is included
  // Interval in which all states are included although the rest is in columns: the peak's step. Empty if it
  // has too many.
  std::int64_t exact_begin_ns = 0, exact_end_ns = 0;
};

struct TimelineLimits {
  std::size_t run_points = 12288;  // columns of the whole run
  std::size_t peak_points = 6144;  // states or columns of the peak's step
};

// The whole run. Every state is kept if the limits allow it; otherwise the step with the peak keeps its
// states, or has its own, finer columns.
Timeline timeline_of(const analysis::MemoryFacts& facts, const TimelineLimits& limits = {});

}  // namespace strata::report
