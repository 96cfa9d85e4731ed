// SPDX-License-Identifier: Apache-2.0
#include "host/grid/pictures/pareto_picture.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "host/grid/pictures/number_places.hpp"
#include "host/report/plot/axis.hpp"
#include "host/report/plot/frame.hpp"
#include "host/report/plot/palette.hpp"

namespace strata::grid {
namespace {

using namespace report::plot;

constexpr double kParetoWidth = 720.0, kParetoHeight = 420.0, kLeftEdge = 70.0, kBottomEdge = 46.0,
                 kLegendLine = 13.0;
constexpr double kFrontRadius = 3.6, kBeatenRadius = 2.6, kNumberSize = 8.0, kNumberHeight = 6.0;
constexpr std::size_t kMostListed = 24;
constexpr Colour kFront = Colour::of(0xD6496F), kBeaten = Colour::of(0x4A72BD);

// Pareto-optimal ones, then the others, each sorted by time.
std::vector<std::size_t> in_order(const std::vector<CostPoint>& costs,
                                  const std::vector<std::size_t>& front) {
  std::vector<std::size_t> order = front;
  for (std::size_t index = 0; index < costs.size(); ++index) {
    if (std::ranges::find(front, index) == front.end()) order.push_back(index);
  }
  std::ranges::sort(order.begin() + static_cast<std::ptrdiff_t>(front.size()), order.end(), {},
                    [&](std::size_t index) { return costs[index].time; });
  return order;
}

}  // namespace

std::string pareto_picture(const std::vector<LabelledPoint>& points, const ParetoTexts& texts,
                           FileFormat format) {
  std::vector<CostPoint> costs;
  costs.reserve(points.size());
  for (const LabelledPoint& each : points) costs.push_back(each.cost);
  const std::vector<std::size_t> front = pareto_front(costs);
  const std::vector<std::size_t> order = in_order(costs, front);
  const std::size_t listed = std::min(order.size(), kMostListed);
  const double legend = static_cast<double>(listed) * kLegendLine;
  Drawing drawing(format, kParetoWidth, kParetoHeight + legend, 2.0);
  draw_head(drawing, texts.title, texts.below, kParetoWidth);
  const double top = kHeadHeight + 18.0;
  const Rectangle area{kLeftEdge, top, kParetoWidth - kLeftEdge - kMargin, kParetoHeight - top - kBottomEdge};
  const auto [least_time, most_time] = std::ranges::minmax(costs, {}, &CostPoint::time);
  const auto [least_memory, most_memory] = std::ranges::minmax(costs, {}, &CostPoint::memory);
  const double beyond = 0.05 * (most_time.time - least_time.time);  // room for the last dot
  const report::plot::Axis time = time_axis_of(least_time.time, most_time.time + beyond, 8);
  const report::plot::Axis memory = bytes_axis_of(least_memory.memory, most_memory.memory, 6);
  const auto along = [](const report::plot::Axis& axis, double value) {
    return (value - axis.begin) / (axis.end - axis.begin);
  };
  const auto place = [&](const CostPoint& cost) {
    return Position{area.left + area.width * along(time, cost.time),
                    area.top + area.height * (1.0 - along(memory, cost.memory))};
  };
  for (const Mark& mark : memory.marks) {
    const double y = place({time.begin, mark.value}).y;
    drawing.line({{area.left, y}, {area.left + area.width, y}}, kRule, 0.6);
    drawing.text({area.left - 6.0, y + 3.0}, mark.label, {8.5, kMuted, Align::kRight, false});
  }
  for (const Mark& mark : time.marks)
    drawing.text({place({mark.value, memory.begin}).x, area.top + area.height + 13.0}, mark.label,
                 {8.5, kMuted, Align::kMiddle, false});
  drawing.text({area.left, area.top - 5.0}, "peak allocated, " + memory.unit,
               {8.5, kMuted, Align::kLeft, false});
  drawing.text({area.left + area.width, area.top + area.height + 28.0}, texts.time + ", " + time.unit,
               {8.5, kMuted, Align::kRight, false});

  std::vector<Position> line;
  line.reserve(front.size());
  for (const std::size_t index : front) line.push_back(place(costs[index]));
  if (line.size() > 1) drawing.line(line, kFront, 1.0, true);
  for (std::size_t index = 0; index < points.size(); ++index) {
    const bool leads = std::ranges::find(front, index) != front.end();
    drawing.dot(place(costs[index]), leads ? kFrontRadius : kBeatenRadius, leads ? kFront : kBeaten);
  }
  // If points are close together their names would overlap: use numbers, and a list below.
  std::vector<NumberedPoint> numbered;
  for (std::size_t number = 0; number < listed; ++number) {
    const TextStyle style{kNumberSize, kInk, Align::kMiddle, number < front.size()};
    numbered.push_back({place(costs[order[number]]), drawing.width_of(fmt::format("{}", number + 1), style)});
  }
  const std::vector<Rectangle> boxes = number_places(numbered, kNumberHeight, kFrontRadius);
  for (std::size_t number = 0; number < listed; ++number) {
    const std::size_t index = order[number];
    const bool leads = number < front.size();
    const Rectangle& box = boxes[number];
    const std::string name = fmt::format("{}", number + 1);
    drawing.text({box.left + box.width / 2.0, box.top + box.height}, name,
                 {kNumberSize, kInk, Align::kMiddle, leads});
    const double y = kParetoHeight + static_cast<double>(number) * kLegendLine;
    const TextStyle style{8.5, kInk, Align::kLeft, false};
    drawing.text({kLeftEdge - 6.0, y}, name, {8.5, leads ? kFront : kBeaten, Align::kRight, leads});
    drawing.text({kLeftEdge, y}, cut_to(drawing, points[index].label, style, area.width), style);
  }
  return drawing.finish();
}

}  // namespace strata::grid
