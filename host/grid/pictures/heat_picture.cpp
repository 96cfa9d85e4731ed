// SPDX-License-Identifier: Apache-2.0
#include "host/grid/pictures/heat_picture.hpp"

#include <algorithm>
#include <limits>

#include "host/report/plot/frame.hpp"
#include "host/report/plot/palette.hpp"

namespace strata::grid {
namespace {

using namespace report::plot;

constexpr double kFieldWidth = 84.0, kFieldHeight = 26.0, kMostLabel = 200.0, kColumnHeads = 34.0,
                 kFurther = 26.0;
constexpr TextStyle kFurtherStyle{9.5, kInk, Align::kLeft, true};
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

struct Scale {
  double least = std::numeric_limits<double>::infinity(), most = -least;

  void add(const HeatMap& map) {
    for (const auto& row : map.fields) {
      for (const HeatField& field : row) {
        if (!field.value.number) continue;
        least = std::min(least, *field.value.number);
        most = std::max(most, *field.value.number);
      }
    }
  }
  double share(const HeatField& field) const {
    return field.value.number && most > least ? (*field.value.number - least) / (most - least) : 0.0;
  }
};

void draw_field(Drawing& drawing, const Rectangle& area, const HeatField& field, double share,
                ColumnKind kind) {
  drawing.fill(area, field.value.number ? between(kLittle, kMuch, share) : kNoValue);
  const Entry middle = number_entry(field.value.number);
  const std::string text = field.value.number ? shown(middle, kind) : field.status;
  const TextStyle inner{8.5, share > 0.55 ? Colour::of(0xFFFFFF) : kInk, Align::kMiddle, false};
  drawing.text({area.left + area.width / 2.0, area.top + kFieldHeight * 0.62},
               cut_to(drawing, text, inner, kFieldWidth - 6.0), inner);
}

double height_of(const HeatMap& map) {
  return kColumnHeads + kFieldHeight * static_cast<double>(map.rows.size()) +
         (map.further.empty() ? 0.0 : kFurther);
}

void draw_map(Drawing& drawing, const HeatMap& map, double above, double labels, double width,
              const Scale& scale, ColumnKind kind) {
  if (!map.further.empty()) {
    above += kFurther;
    drawing.text({kMargin, above - 5.0}, cut_to(drawing, map.further, kFurtherStyle, width - 2.0 * kMargin),
                 kFurtherStyle);
  }
  const double top = above + kColumnHeads, left = kMargin + labels;
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
      draw_field(drawing,
                 {left + kFieldWidth * static_cast<double>(column), y, kFieldWidth - 1.5, kFieldHeight - 1.5},
                 field, scale.share(field), kind);
    }
  }
}

}  // namespace

std::string heat_picture(const std::vector<HeatMap>& maps, ColumnKind kind, const std::string& title,
                         const std::string& below, FileFormat format) {
  Scale scale;
  double labels = 0.0, width = 320.0, height = kHeadHeight + kMargin;
  const Drawing measured(FileFormat::kSvg, 10.0, 10.0, 1.0);
  for (const HeatMap& map : maps) {
    scale.add(map);
    labels = std::max(labels, label_width(measured, map));
    width =
        std::max(width, kMargin + labels + kFieldWidth * static_cast<double>(map.columns.size()) + kMargin);
    height += height_of(map);
  }
  Drawing drawing(format, width, height, 2.0);
  draw_head(drawing, title, below, width);
  double above = kHeadHeight;
  for (const HeatMap& map : maps) {
    draw_map(drawing, map, above, labels, width, scale, kind);
    above += height_of(map);
  }
  return drawing.finish();
}

}  // namespace strata::grid
