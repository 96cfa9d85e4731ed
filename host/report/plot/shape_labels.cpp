// SPDX-License-Identifier: Apache-2.0
#include "host/report/plot/shape_labels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "host/report/plot/label_places.hpp"
#include "host/report/plot/palette.hpp"
#include "host/report/quantity.hpp"

namespace strata::report::plot {
namespace {

constexpr double kPaddingX = 4.0, kHeight = 13.0, kBaseline = 9.5, kHeadLength = 6.0, kHeadWidth = 2.4;
constexpr TextStyle kTitle8{8.0, kInk, Align::kLeft, true}, kAmount8{8.0, kInk, Align::kLeft, false};
constexpr Colour kPaper = Colour::of(0xFFFFFF);

std::string amount_of(const analysis::Shape& shape) {
  const double bytes = static_cast<double>(shape.bytes);
  return fmt::format(" {} MiB", mebibytes(bytes, bytes < 10.0 * 1048576.0 ? 3 : bytes < 1e9 ? 1 : 0));
}

void draw_arrow(Drawing& drawing, Position from, Position tip) {
  const double length = std::hypot(tip.x - from.x, tip.y - from.y);
  drawing.line({from, tip}, kPaper, 2.6);
  drawing.line({from, tip}, kInk, 0.8);
  if (length < kHeadLength) return;
  const double along_x = (tip.x - from.x) / length, along_y = (tip.y - from.y) / length;
  const Position neck{tip.x - along_x * kHeadLength, tip.y - along_y * kHeadLength};
  drawing.fill({tip,
                {neck.x - along_y * kHeadWidth, neck.y + along_x * kHeadWidth},
                {neck.x + along_y * kHeadWidth, neck.y - along_x * kHeadWidth}},
               kInk);
}

void draw_box(Drawing& drawing, const Rectangle& box, const analysis::Shape& shape) {
  drawing.fill(box, kPaper);
  const double right = box.left + box.width, bottom = box.top + box.height;
  drawing.line(
      {{box.left, box.top}, {right, box.top}, {right, bottom}, {box.left, bottom}, {box.left, box.top}},
      kMuted, 0.6);
  const Position at{box.left + kPaddingX, box.top + kBaseline};
  const std::string title(name_of(shape.kind).title);
  drawing.text(at, title, kTitle8);
  drawing.text({at.x + drawing.width_of(title, kTitle8), at.y}, amount_of(shape), kAmount8);
}

}  // namespace

std::size_t draw_shape_labels(Drawing& drawing, const std::vector<analysis::Shape>& shapes,
                              std::int64_t begin_ns, std::int64_t end_ns, const ShapeGround& ground) {
  std::vector<const analysis::Shape*> shown;
  for (const analysis::Shape& shape : shapes) {
    if (begin_ns <= shape.at_ns && shape.at_ns <= end_ns) shown.push_back(&shape);
  }
  std::ranges::stable_sort(shown, std::greater{}, [](const analysis::Shape* shape) { return shape->bytes; });
  std::vector<WantedLabel> wanted;
  for (const analysis::Shape* shape : shown) {
    const Position tip{ground.x(shape->at_ns), ground.y(static_cast<double>(shape->level_bytes))};
    const double width = drawing.width_of(name_of(shape->kind).title, kTitle8) +
                         drawing.width_of(amount_of(*shape), kAmount8) + 2 * kPaddingX;
    wanted.push_back({tip, width, kHeight});
  }
  const std::vector<PlacedLabel> placed =
      place_labels(wanted, {ground.area, ground.covered_from, ground.taken});
  for (const PlacedLabel& label : placed) draw_arrow(drawing, label.from, wanted[label.label].tip);
  for (const PlacedLabel& label : placed) draw_box(drawing, label.box, *shown[label.label]);
  return shown.size() - placed.size();
}

}  // namespace strata::report::plot
