// SPDX-License-Identifier: Apache-2.0
// The table of a grid: one row a cell, whatever columns are asked for.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "host/grid/cell_state.hpp"
#include "host/grid/grid_folder.hpp"
#include "host/grid/table/table.hpp"

namespace strata::grid {

// No cell has a column of that name; the message says what there is.
class ColumnError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// id, the axes, status, parameters, and those measures that any cell has.
std::vector<std::string> usual_columns(const Plan& plan, const std::vector<CellState>& states);

// Of each cell: `id`, `status`, `device`, `parameters`, `reason`, `exit_code`, `attempt`, an axis, a measure
// (kMeasureNames), a key of the run's configuration ("optimizer.lr"), or a path into its summary.json
// ("peak.categories.Activation"; numbers below one whose name ends in _bytes or _ns, and categories', have
// their unit). Throws ColumnError.
Table results_table(const GridFolder& folder, const Plan& plan, const std::vector<CellState>& states,
                    const std::vector<std::string>& columns);

}  // namespace strata::grid
