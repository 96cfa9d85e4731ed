// SPDX-License-Identifier: Apache-2.0
// Common parts of pictures: a title, a line below it, and a legend of categories.
#pragma once

#include <string>
#include <vector>

#include "host/analysis/facts/category.hpp"
#include "host/analysis/facts/forward.hpp"
#include "host/report/plot/drawing.hpp"
#include "host/report/plot/plots.hpp"

namespace strata::report::plot {

inline constexpr double kMargin = 14.0, kHeadHeight = 44.0, kLegendHeight = 18.0;
inline constexpr TextStyle kTitle{13.0, Colour::of(0x18202C), Align::kLeft, true};

// "quickstart, cpu", or the requested title.
std::string title_of(const analysis::MemoryFacts& facts, const PlotOptions& options);

// At the top, cut to the picture's width.
void draw_head(Drawing& drawing, std::string_view title, std::string_view below, double width);

// One line starting at `at`: the categories that are not empty in `shown`. Returns the position of the next
// entry.
Position draw_legend(Drawing& drawing, Position at, const analysis::CategoryBytes& shown);

// One entry of the legend; returns the position of the next one.
Position draw_legend_entry(Drawing& drawing, Position at, Colour colour, std::string_view name);

// The longest beginning and end of the text that fits in `width`.
std::string cut_to(const Drawing& drawing, std::string_view text, const TextStyle& style, double width);

}  // namespace strata::report::plot
