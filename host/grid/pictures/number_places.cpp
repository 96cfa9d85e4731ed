// SPDX-License-Identifier: Apache-2.0
#include "host/grid/pictures/number_places.hpp"

#include <algorithm>
#include <array>
#include <limits>

namespace strata::grid {
namespace {

using report::plot::Rectangle;

constexpr double kGap = 2.0;  // between a dot and its number

double overlap(const Rectangle& one, const Rectangle& other) {
  const double width =
      std::min(one.left + one.width, other.left + other.width) - std::max(one.left, other.left);
  const double height =
      std::min(one.top + one.height, other.top + other.height) - std::max(one.top, other.top);
  return width > 0.0 && height > 0.0 ? width * height : 0.0;
}

// Above, below, to the right, to the left, and from corner to corner.
std::array<Rectangle, 8> boxes_around(const NumberedPoint& point, double height, double radius) {
  const double width = point.width, away = radius + kGap;
  const double left = point.at.x - away - width, middle = point.at.x - width / 2.0, right = point.at.x + away;
  const double above = point.at.y - away - height, beside = point.at.y - height / 2.0,
               below = point.at.y + away;
  return {{{middle, above, width, height},
           {middle, below, width, height},
           {right, beside, width, height},
           {left, beside, width, height},
           {right, above, width, height},
           {left, above, width, height},
           {right, below, width, height},
           {left, below, width, height}}};
}

}  // namespace

std::vector<Rectangle> number_places(const std::vector<NumberedPoint>& points, double height,
                                     double dot_radius) {
  std::vector<Rectangle> taken;
  taken.reserve(2 * points.size());
  for (const NumberedPoint& point : points)
    taken.push_back({point.at.x - dot_radius, point.at.y - dot_radius, 2.0 * dot_radius, 2.0 * dot_radius});
  std::vector<Rectangle> places;
  for (const NumberedPoint& point : points) {
    Rectangle best;
    double least_hidden = std::numeric_limits<double>::infinity();
    for (const Rectangle& box : boxes_around(point, height, dot_radius)) {
      double hidden = 0.0;
      for (const Rectangle& other : taken) hidden += overlap(box, other);
      if (hidden < least_hidden) {
        least_hidden = hidden;
        best = box;
      }
    }
    places.push_back(best);
    taken.push_back(best);
  }
  return places;
}

}  // namespace strata::grid
