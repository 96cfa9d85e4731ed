// SPDX-License-Identifier: Apache-2.0
// Small multiples: the memory of each cell over its window, with one scale.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "host/analysis/facts/point.hpp"
#include "host/grid/cell_state.hpp"
#include "host/grid/grid_folder.hpp"
#include "host/report/plot/drawing.hpp"

namespace strata::grid {

struct CellTimeline {
  std::string label;              // "optimizer=sgd precision=bf16"
  std::vector<Setting> settings;  // the settings in the label, or none
  bool by_event = false;          // `ns` counts allocations and frees
  std::int64_t begin_ns = 0, end_ns = 1;
  std::vector<analysis::Point> points = {};  // `ns`: from when the state is shown
};

// The title of each tile; if the axis names do not fit there, they are shown once at the top.
struct TileTitles {
  std::vector<std::string> tiles;
  std::string axes = {};  // "optimizer, precision"
};
TileTitles tile_titles(const std::vector<CellTimeline>& timelines,
                       const std::function<bool(const std::string&)>& fits);

// A larger number would be too small to distinguish.
inline constexpr std::size_t kMostTimelines = 24;

// For cells that are ok, from their runs: the first ones, or those in `only` if it is not empty. Unreadable
// and excess ones are listed in `notes`.
std::vector<CellTimeline> cell_timelines(const GridFolder& folder, const Plan& plan,
                                         const std::vector<CellState>& states,
                                         const std::vector<std::string>& only,
                                         std::vector<std::string>& notes);

// Stacked categories; the scale is that of the largest. Throws report::plot::DrawingError.
std::string timelines_picture(const std::vector<CellTimeline>& timelines, const std::string& title,
                              report::plot::FileFormat format);

}  // namespace strata::grid
