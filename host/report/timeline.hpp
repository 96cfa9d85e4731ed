// SPDX-License-Identifier: Apache-2.0
// A run's memory over time in few enough states for a page, without losing a peak.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "host/analysis/facts/forward.hpp"
#include "host/analysis/facts/point.hpp"

namespace strata::report {

// Equal columns of the time from begin_ns until end_ns.
struct Columns {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;  // greater than begin_ns
  std::size_t count = 1;
};

// Each column shows the state of the largest total among those that held at any time in it, the one it was
// entered with included; of equal ones the first. So no peak is lost, and a column's categories are those of
// one moment.
//
// `points` lie in event order, begin at begin_ns or later and end before end_ns; a time that steps back
// (threads read their clocks apart) counts as the largest before it. `entered` is the state before the first
// of them. Of the points returned, `ns` is when a state begins to be shown (the first: begin_ns), and
// neighbours differ.
std::vector<analysis::Point> largest_by_column(std::span<const analysis::Point> points,
                                               const analysis::Point& entered, const Columns& columns);

// From the first to behind the last of what was recorded.
struct RunTime {
  std::int64_t begin_ns = 0, end_ns = 0;
};
RunTime run_time(const analysis::MemoryFacts& facts);

struct Timeline {
  std::int64_t begin_ns = 0, end_ns = 0;
  std::vector<analysis::Point> points;  // `ns`: from when on the state is shown
  std::int64_t column_ns = 0;           // a column's length where columns were made; 0: every state is there
  // Where every state is there though columns were made elsewhere: the peak's step. Empty if it has too many.
  std::int64_t exact_begin_ns = 0, exact_end_ns = 0;
};

struct TimelineLimits {
  std::size_t run_points = 12288;  // columns of the whole run
  std::size_t peak_points = 6144;  // states, or columns, of the peak's step
};

// The whole run. Every state is kept when the limits allow it; else the step that holds the peak keeps its
// own, or is cut into its own, finer columns.
Timeline timeline_of(const analysis::MemoryFacts& facts, const TimelineLimits& limits = {});

}  // namespace strata::report
