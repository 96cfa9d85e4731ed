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
  Entry value;         // the median over the cells that are there, with their least and most
  std::string status;  // where there is no value: what became of them, such as "oom"
};

struct HeatMap {
  std::string across, down;
  std::string further;  // "precision=bf16", of all its cells; empty: they have the axes alone
  std::vector<std::string> columns, rows;      // labels, in the order of the plan
  std::vector<std::vector<HeatField>> fields;  // by row
};

struct HeatMaps {
  std::vector<HeatMap> maps;        // of the same columns and rows
  std::vector<std::string> folded;  // axes along which the cells of one field differ
};

// One for each combination of values of further axes, in the order of the plan; where these are more than
// kMostHeatMaps, one in which they are folded, as seeds always are. Cells that lack one of the axes are left
// out.
inline constexpr std::size_t kMostHeatMaps = 6;
HeatMaps heat_maps(const Plan& plan, const std::vector<CellState>& states, const std::string& across,
                   const std::string& down, Measure measure);

// The two axes with the most values, of those with more than one; nothing where there are not two.
std::optional<std::pair<std::string, std::string>> widest_axes(const Plan& plan);

}  // namespace strata::grid
