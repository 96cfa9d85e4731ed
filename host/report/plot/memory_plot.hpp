// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "host/analysis/facts/facts.hpp"
#include "host/report/plot/plots.hpp"

namespace strata::report::plot {

// Throws as draw().
std::string draw_memory(const analysis::Facts& facts, const PlotOptions& options);

}  // namespace strata::report::plot
