// SPDX-License-Identifier: Apache-2.0
// The part of a run shown in a memory timeline.
#pragma once

#include <cstdint>

#include "host/analysis/facts/forward.hpp"
#include "host/report/plot/plots.hpp"

namespace strata::report::plot {

struct ShownInterval {
  std::int64_t begin_ns = 0, end_ns = 1;
};

// The requested step, the window, or the whole run. Throws std::out_of_range if the run has no such step.
ShownInterval shown_interval(const analysis::MemoryFacts& facts, const PlotOptions& options);

}  // namespace strata::report::plot
