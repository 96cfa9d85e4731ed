// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "host/analysis/facts/forward.hpp"
#include "host/report/plot/plots.hpp"

namespace strata::report::plot {

// Throws like draw().
std::string draw_memory(const analysis::MemoryFacts& facts, const PlotOptions& options);

}  // namespace strata::report::plot
