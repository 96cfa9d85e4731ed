// SPDX-License-Identifier: Apache-2.0
// The table of a grid: one row per cell, with the requested columns.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "host/grid/cell_state.hpp"
#include "host/grid/grid_folder.hpp"
#include "host/grid/table/table.hpp"

namespace strata::grid {

// No cell has a column of that name; the message lists the existing ones.
class ColumnError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// id, the axes, status, parameters, and the measures that any cell has.
std::vector<std::string> usual_columns(const Plan& plan, const std::vector<CellState>& states);

// Columns: `id`, `status`, `device`, `parameters`, `reason`, `exit_code`, `attempt`, an axis, a measure
// (kMeasureNames), a key of the run's configuration ("optimizer.lr"), or a path into its summary.json
// ("peak.categories.Activation"; numbers below a name that ends in _bytes or _ns, and those of categories,
// have that unit). Throws ColumnError.
Table results_table(const GridFolder& folder, const Plan& plan, const std::vector<CellState>& states,
                    const std::vector<std::string>& columns);

}  // namespace strata::grid
