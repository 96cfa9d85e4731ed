// SPDX-License-Identifier: Apache-2.0
#include "host/grid/pictures/heat_picture.hpp"

#include <algorithm>
#include <limits>

#include "host/report/plot/frame.hpp"
#include "host/report/plot/palette.hpp"

namespace strata::grid {
namespace {

using namespace report::plot;

constexpr double kFieldWidth = 84.0, kFieldHeight = 26.0, kMostLabel = 200.0, kColumnHeads = 34.0;
// From little to much, and of fields without a value.
constexpr Colour kLittle = Colour::of(0xEAF1FB), kMuch = Colour::of(0x24427C),
                 kNoValue = Colour::of(0xF3DDE0);

Colour between(Colour from, Colour to, double share) {
  return {from.red + (to.red - from.red) * share, from.green + (to.green - from.green) * share,
          from.blue + (to.blue - from.blue) * share};
}

double label_width(const Drawing& drawing, const HeatMap& map) {
  double width = drawing.width_of(map.down, {8.5});
  for (const std::string& row : map.rows) width = std::max(width, drawing.width_of(row, {8.5}));
  return std::min(width + 8.0, kMostLabel);
}

}  // namespace

std::string heat_picture(const HeatMap& map, ColumnKind kind, const std::string& title,
                         const std::string& below, FileFormat format) {
  double least = std::numeric_limits<double>::infinity(), most = -least;
  for (const auto& row : map.fields) {
    for (const HeatField& field : row) {
      if (!field.value.number) continue;
      least = std::min(least, *field.value.number);
      most = std::max(most, *field.value.number);
    }
  }
  const double labels = label_width(Drawing(FileFormat::kSvg, 10.0, 10.0, 1.0), map);
  const double top = kHeadHeight + kColumnHeads, left = kMargin + labels;
  const double width =
      std::max(320.0, left + kFieldWidth * static_cast<double>(map.columns.size()) + kMargin);
  Drawing drawing(format, width, top + kFieldHeight * static_cast<double>(map.rows.size()) + kMargin, 2.0);
  draw_head(drawing, title, below, width);
  const TextStyle head{8.5, kMuted, Align::kMiddle, false};
  drawing.text({left, top - 18.0}, cut_to(drawing, map.across, head, width - left - kMargin),
               {8.5, kInk, Align::kLeft, true});
  drawing.text({kMargin, top - 5.0}, cut_to(drawing, map.down, head, labels),
               {8.5, kInk, Align::kLeft, true});
  for (std::size_t column = 0; column < map.columns.size(); ++column)
    drawing.text({left + kFieldWidth * (static_cast<double>(column) + 0.5), top - 5.0},
                 cut_to(drawing, map.columns[column], head, kFieldWidth - 6.0), head);
  for (std::size_t row = 0; row < map.rows.size(); ++row) {
    const double y = top + kFieldHeight * static_cast<double>(row);
    const TextStyle style{8.5, kMuted, Align::kLeft, false};
    drawing.text({kMargin, y + kFieldHeight * 0.62}, cut_to(drawing, map.rows[row], style, labels - 8.0),
                 style);
    for (std::size_t column = 0; column < map.columns.size(); ++column) {
      const HeatField& field = map.fields[row][column];
      const Rectangle area{left + kFieldWidth * static_cast<double>(column), y, kFieldWidth - 1.5,
                           kFieldHeight - 1.5};
      const double share =
          field.value.number && most > least ? (*field.value.number - least) / (most - least) : 0.0;
      drawing.fill(area, field.value.number ? between(kLittle, kMuch, share) : kNoValue);
      const Entry middle = number_entry(field.value.number);
      const std::string text = field.value.number ? shown(middle, kind) : field.status;
      const TextStyle inner{8.5, share > 0.55 ? Colour::of(0xFFFFFF) : kInk, Align::kMiddle, false};
      drawing.text({area.left + area.width / 2.0, area.top + kFieldHeight * 0.62},
                   cut_to(drawing, text, inner, kFieldWidth - 6.0), inner);
    }
  }
  return drawing.finish();
}

}  // namespace strata::grid
