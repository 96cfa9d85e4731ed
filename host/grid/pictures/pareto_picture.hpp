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

// Memory against step time; those that nothing beats are joined and named. Throws report::plot::DrawingError.
std::string pareto_picture(const std::vector<LabelledPoint>& points, const std::string& title,
                           const std::string& below, report::plot::FileFormat format);

}  // namespace strata::grid
