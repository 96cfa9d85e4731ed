// SPDX-License-Identifier: Apache-2.0
// Where labels go beside what they point to: none on another, none over the edge.
#pragma once

#include <functional>
#include <vector>

#include "host/report/plot/drawing.hpp"

namespace strata::report::plot {

struct WantedLabel {
  Position tip;  // what it points to
  double width = 0.0, height = 0.0;
};

struct PlacedLabel {
  std::size_t label = 0;  // index into those wanted
  Rectangle box;
  Position from;  // where its arrow begins, on the box's edge
};

// The ground that boxes may lie on; `covered_from` is, for an x, the y from which down something is drawn
// that a box had better not hide.
struct LabelGround {
  Rectangle area;
  std::function<double(double x)> covered_from;
  std::vector<Rectangle> taken = {};  // that no box may touch
};

// Those that find a place, the first of `wanted` first. Boxes do not overlap, nor hide a tip or an arrow;
// arrows cross no box, and each other only where there is no other way.
std::vector<PlacedLabel> place_labels(const std::vector<WantedLabel>& wanted, const LabelGround& ground);

}  // namespace strata::report::plot
