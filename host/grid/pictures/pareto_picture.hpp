// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "host/grid/table/pareto.hpp"
#include "host/report/plot/drawing.hpp"

namespace strata::grid {

struct LabelledPoint {
  CostPoint cost;  // nanoseconds and bytes
  std::string label;
};

struct ParetoTexts {
  std::string title, below;
  std::string time;  // what the axis of time has
};

// Memory against step time; those that nothing beats are joined. All are named, those first, as far as there
// is room. Throws report::plot::DrawingError.
std::string pareto_picture(const std::vector<LabelledPoint>& points, const ParetoTexts& texts,
                           report::plot::FileFormat format);

}  // namespace strata::grid
