// SPDX-License-Identifier: Apache-2.0
// A measure over two axes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "host/grid/cell_state.hpp"
#include "host/grid/plan/plan.hpp"
#include "host/grid/table/table.hpp"

namespace strata::grid {

struct HeatField {
  Entry value;         // the median over existing cells, with minimum and maximum
  std::string status;  // without a value: the status of the cells, such as "oom"
};

struct HeatMap {
  std::string across, down;
  std::string further;  // "precision=bf16", common to all its cells; empty: there are no further axes
  std::vector<std::string> columns, rows;      // labels, in the order of the plan
  std::vector<std::vector<HeatField>> fields;  // by row
};

struct HeatMaps {
  std::vector<HeatMap> maps;        // with the same columns and rows
  std::vector<std::string> folded;  // axes along which cells of one field differ
};

// One map for each combination of values of the other axes, in the order of the plan. If there are more than
// kMostHeatMaps, one map with all of them folded, as seeds always are. Cells without one of the axes are
// omitted.
inline constexpr std::size_t kMostHeatMaps = 6;
HeatMaps heat_maps(const Plan& plan, const std::vector<CellState>& states, const std::string& across,
                   const std::string& down, Measure measure);

// The two axes with the most values, among those with more than one; empty if there are not two.
std::optional<std::pair<std::string, std::string>> widest_axes(const Plan& plan);

}  // namespace strata::grid
