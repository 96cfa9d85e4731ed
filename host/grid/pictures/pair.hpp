// SPDX-License-Identifier: Apache-2.0
// Compares two cells.
#pragma once

#include <string>

#include "host/grid/cell_state.hpp"
#include "host/grid/grid_folder.hpp"
#include "host/grid/table/table.hpp"

namespace strata::grid {

// The settings that differ, then each measure of both with its change. Throws ColumnError if there is no cell
// with that id.
Table pair_table(const GridFolder& folder, const Plan& plan, const std::vector<CellState>& states,
                 const std::string& first, const std::string& second);

}  // namespace strata::grid
