// SPDX-License-Identifier: Apache-2.0
// Places numbers next to their points, avoiding other points and numbers.
#pragma once

#include <vector>

#include "host/report/plot/drawing.hpp"

namespace strata::grid {

struct NumberedPoint {
  report::plot::Position at;
  double width = 0.0;  // of its number
};

// The box of each number, `height` high, above its point if there is space; if there is none anywhere, where
// it covers the least. Earlier points have priority.
std::vector<report::plot::Rectangle> number_places(const std::vector<NumberedPoint>& points, double height,
                                                   double dot_radius);

}  // namespace strata::grid
