// SPDX-License-Identifier: Apache-2.0
// Labels with arrows on the memory timeline.
#pragma once

#include <functional>
#include <vector>

#include "host/analysis/shapes/shape.hpp"
#include "host/report/plot/drawing.hpp"

namespace strata::report::plot {

// The area of a picture: the positions of moments and values, and the top of the filled part.
struct ShapeGround {
  Rectangle area;
  std::function<double(std::int64_t ns)> x;
  std::function<double(double bytes)> y;
  std::function<double(double x)> covered_from;
  std::vector<Rectangle> taken = {};  // by other text
};

// All shapes between `begin_ns` and `end_ns`; the largest are placed first. Returns the number of those that
// could not be placed.
std::size_t draw_shape_labels(Drawing& drawing, const std::vector<analysis::Shape>& shapes,
                              std::int64_t begin_ns, std::int64_t end_ns, const ShapeGround& ground);

}  // namespace strata::report::plot
