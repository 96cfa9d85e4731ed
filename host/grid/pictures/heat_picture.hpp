// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "host/grid/table/heat_map.hpp"
#include "host/report/plot/drawing.hpp"

namespace strata::grid {

// The maps below each other with a common scale, one field for each pair of values, darker for larger values;
// a status if there is no value. As large as its fields require. Throws report::plot::DrawingError.
std::string heat_picture(const std::vector<HeatMap>& maps, ColumnKind kind, const std::string& title,
                         const std::string& below, report::plot::FileFormat format);

}  // namespace strata::grid
