// SPDX-License-Identifier: Apache-2.0
// Places labels next to their targets, without overlaps and within the edges.
#pragma once

#include <functional>
#include <vector>

#include "host/report/plot/drawing.hpp"

namespace strata::report::plot {

struct WantedLabel {
  Position tip;  // the target
  double width = 0.0, height = 0.0;
};

struct PlacedLabel {
  std::size_t label = 0;  // index into the wanted labels
  Rectangle box;
  Position from;  // start of the arrow, on the box's edge
};

// The area available for boxes. `covered_from` returns for an x the y below which something is drawn that a
// box should avoid.
struct LabelGround {
  Rectangle area;
  std::function<double(double x)> covered_from;
  std::vector<Rectangle> taken = {};  // that boxes must not touch
};

// The labels that can be placed; earlier ones in `wanted` have priority. Boxes do not overlap, and do not
// cover a tip or an arrow; arrows do not cross boxes, and cross each other only if unavoidable.
std::vector<PlacedLabel> place_labels(const std::vector<WantedLabel>& wanted, const LabelGround& ground);

}  // namespace strata::report::plot
