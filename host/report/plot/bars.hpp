// SPDX-License-Identifier: Apache-2.0
// Rows of horizontal bars: a label, segments of categories, and what they come to.
#pragma once

#include <string>
#include <vector>

#include "host/analysis/facts/category.hpp"
#include "host/report/plot/plots.hpp"

namespace strata::report::plot {

struct BarRow {
  std::string label;
  int indent = 0;
  analysis::CategoryBytes segments{};
  std::string amount;  // at the right
  // Where not negative: a line over the bar from `least` to `most`, with a tick at `middle`, in bytes.
  double least = -1.0, middle = -1.0, most = -1.0;
};

struct BarChart {
  std::string title, below;
  std::vector<BarRow> rows;
  std::string amounts;  // above the column of amounts
};

// As high as its rows need. Throws DrawingError.
std::string draw_bars(const BarChart& chart, const PlotOptions& options);

}  // namespace strata::report::plot
