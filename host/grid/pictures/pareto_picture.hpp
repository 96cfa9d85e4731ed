// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "host/grid/table/pareto.hpp"
#include "host/report/plot/drawing.hpp"

namespace strata::grid {

struct LabelledPoint {
  CostPoint cost;  // in nanoseconds and bytes
  std::string label;
};

struct ParetoTexts {
  std::string title, below;
  std::string time;  // the label of the time axis
};

// Memory against step time; Pareto-optimal points are connected. All points are labelled, those first, as
// space permits. Throws report::plot::DrawingError.
std::string pareto_picture(const std::vector<LabelledPoint>& points, const ParetoTexts& texts,
                           report::plot::FileFormat format);

}  // namespace strata::grid
