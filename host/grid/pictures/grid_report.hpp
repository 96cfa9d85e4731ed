// SPDX-License-Identifier: Apache-2.0
// The pictures of a grid, and the page with them and the table.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "host/grid/cell_state.hpp"
#include "host/grid/grid_folder.hpp"
#include "host/grid/table/table.hpp"

namespace strata::grid {

struct PictureChoice {
  std::vector<std::string> heat_axes;  // two or none: then the widest
  std::string measure = "peak_allocated";
  std::vector<std::string> pair;            // two ids, or none
  std::vector<std::string> formats{"svg"};  // of report::plot::kFileFormatNames
};

struct ReportFiles {
  std::vector<std::pair<std::string, std::string>> pictures;  // file names and contents
  std::string page;                                           // self-contained HTML
  std::vector<std::string> notes;                             // pictures that could not be drawn, and why
};

// Throws ColumnError if the choice names something that does not exist.
ReportFiles grid_report(const GridFolder& folder, const Plan& plan, const std::vector<CellState>& states,
                        const Table& table, const PictureChoice& choice);

}  // namespace strata::grid
