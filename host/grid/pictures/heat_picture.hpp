// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "host/grid/table/heat_map.hpp"
#include "host/report/plot/drawing.hpp"

namespace strata::grid {

// Of each map, below each other and of one scale, one field for each pair of values, darker the more; a
// status where there is no value. As large as its fields need. Throws report::plot::DrawingError.
std::string heat_picture(const std::vector<HeatMap>& maps, ColumnKind kind, const std::string& title,
                         const std::string& below, report::plot::FileFormat format);

}  // namespace strata::grid
