// SPDX-License-Identifier: Apache-2.0
// Rows of horizontal bars: a label, segments by category, and the total.
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
  std::string amount;  // on the right
  // If not negative: a line over the bar from `least` to `most`, with a tick at `middle`, in bytes.
  double least = -1.0, middle = -1.0, most = -1.0;
};

struct BarChart {
  std::string title, below;
  std::vector<BarRow> rows;
  std::string amounts;  // heading of the column of amounts
};

// As high as its rows require. Throws DrawingError.
std::string draw_bars(const BarChart& chart, const PlotOptions& options);

}  // namespace strata::report::plot
