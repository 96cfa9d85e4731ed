// SPDX-License-Identifier: Apache-2.0
// Where the numbers of points go: beside their own, on no other point and on no other number.
#pragma once

#include <vector>

#include "host/report/plot/drawing.hpp"

namespace strata::grid {

struct NumberedPoint {
  report::plot::Position at;
  double width = 0.0;  // of its number
};

// The box of each number, `height` high, above its point where there is room; where there is room nowhere,
// where it hides least. The first have the first choice.
std::vector<report::plot::Rectangle> number_places(const std::vector<NumberedPoint>& points, double height,
                                                   double dot_radius);

}  // namespace strata::grid
