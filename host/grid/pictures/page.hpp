// SPDX-License-Identifier: Apache-2.0
// A grid's page: the table, its pictures, and failures, in one file that opens offline.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "host/grid/cell_state.hpp"
#include "host/grid/plan/plan.hpp"
#include "host/grid/table/table.hpp"

namespace strata::grid {

struct PageSection {
  std::string title;
  std::string html;  // already escaped
};

// `pictures` are our own SVG documents with their titles.
std::string grid_page(const Plan& plan, const std::vector<CellState>& states,
                      const std::vector<PageSection>& sections);

std::string html_table(const Table& table);
std::string escaped_html(const std::string& text);

// An SVG document as an embedded image.
std::string html_picture(const std::string& svg, const std::string& description);

}  // namespace strata::grid
