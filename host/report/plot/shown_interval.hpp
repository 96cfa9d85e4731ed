// SPDX-License-Identifier: Apache-2.0
// Which part of a run a memory timeline shows.
#pragma once

#include <cstdint>

#include "host/analysis/facts/forward.hpp"
#include "host/report/plot/plots.hpp"

namespace strata::report::plot {

struct ShownInterval {
  std::int64_t begin_ns = 0, end_ns = 1;
};

// The step that was asked for, the window, or the whole run. std::out_of_range when the run has no such step.
ShownInterval shown_interval(const analysis::MemoryFacts& facts, const PlotOptions& options);

}  // namespace strata::report::plot
