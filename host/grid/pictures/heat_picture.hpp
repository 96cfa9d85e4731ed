// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "host/grid/table/heat_map.hpp"
#include "host/report/plot/drawing.hpp"

namespace strata::grid {

// One field for each pair of values, darker the more; a status where there is no value. As large as its
// fields need. Throws report::plot::DrawingError.
std::string heat_picture(const HeatMap& map, ColumnKind kind, const std::string& title,
                         const std::string& below, report::plot::FileFormat format);

}  // namespace strata::grid
