// SPDX-License-Identifier: Apache-2.0
#include "host/report/plot/frame.hpp"

#include <fmt/format.h>

#include "host/analysis/facts/memory_facts.hpp"
#include "host/report/plot/palette.hpp"
#include "host/report/text.hpp"

namespace strata::report::plot {
namespace {

constexpr TextStyle kBelow{9.0, kMuted, Align::kLeft, false};

}  // namespace

std::string title_of(const analysis::MemoryFacts& facts, const PlotOptions& options) {
  if (!options.title.empty()) return options.title;
  if (facts.dry) return fmt::format("{}, dry run on {}", facts.name, facts.dry->name);
  return fmt::format("{}, {}", facts.name, facts.device);
}

void draw_head(Drawing& drawing, std::string_view title, std::string_view below, double width) {
  drawing.text({kMargin, kMargin + 9.0}, cut_to(drawing, title, kTitle, width - 2 * kMargin), kTitle);
  drawing.text({kMargin, kMargin + 23.0}, cut_to(drawing, below, kBelow, width - 2 * kMargin), kBelow);
}

Position draw_legend(Drawing& drawing, Position at, const analysis::CategoryBytes& shown) {
  for (std::size_t index = 0; index < shown.size(); ++index) {
    if (shown.at(index) == 0) continue;
    const auto category = static_cast<analysis::Category>(index);
    at = draw_legend_entry(drawing, at, colour_of(category), to_string(category));
  }
  return at;
}

Position draw_legend_entry(Drawing& drawing, Position at, Colour colour, std::string_view name) {
  constexpr double kSquare = 8.0;
  drawing.fill(Rectangle{at.x, at.y - kSquare + 1.0, kSquare, kSquare}, colour);
  at.x += kSquare + 4.0;
  const TextStyle style{8.5, kInk, Align::kLeft, false};
  drawing.text(at, name, style);
  return {at.x + drawing.width_of(name, style) + 12.0, at.y};
}

std::string cut_to(const Drawing& drawing, std::string_view text, const TextStyle& style, double width) {
  std::string whole = printable(text);
  if (drawing.width_of(whole, style) <= width) return whole;
  int least = 0, most = columns(whole);
  while (least + 1 < most) {
    const int middle = (least + most) / 2;
    (drawing.width_of(shortened(whole, middle), style) <= width ? least : most) = middle;
  }
  return least < 2 ? "" : shortened(whole, least);
}

}  // namespace strata::report::plot
