// SPDX-License-Identifier: Apache-2.0
#include "host/grid/pictures/timelines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string>
#include <utility>

#include "host/analysis/analyse.hpp"
#include "host/report/plot/axis.hpp"
#include "host/report/plot/frame.hpp"
#include "host/report/plot/palette.hpp"
#include "host/report/timeline.hpp"

namespace strata::grid {
namespace {

using namespace report::plot;

constexpr std::size_t kColumnsOfTime = 240, kAcross = 3;
constexpr double kTileWidth = 232.0, kTileHeight = 128.0, kTileGap = 14.0, kScaleWidth = 46.0,
                 kTileTitle = 15.0;
constexpr TextStyle kTitleStyle{8.0, kInk, Align::kLeft, false};

// For a dry run by allocations and frees, because the host's times mean nothing.
CellTimeline timeline_of(const analysis::MemoryFacts& facts, const Cell& cell) {
  const auto before = [](const analysis::Point& point, std::int64_t ns) { return point.ns < ns; };
  const auto first =
      std::lower_bound(facts.points.begin(), facts.points.end(), facts.window_begin_ns, before);
  const auto last = std::lower_bound(first, facts.points.end(), facts.window_end_ns, before);
  analysis::Point entered{};
  if (first != facts.points.begin()) entered = *(first - 1);
  std::vector<analysis::Point> points(first, last);
  CellTimeline line{.label = cell.settings.empty() ? cell.id : cell.text(),
                    .settings = cell.settings,
                    .by_event = facts.dry.has_value()};
  line.begin_ns = facts.window_begin_ns;
  line.end_ns = facts.window_end_ns;
  if (line.by_event) {
    line.begin_ns = 0;
    line.end_ns = static_cast<std::int64_t>(points.size()) + 1;
    for (std::size_t index = 0; index < points.size(); ++index)
      points[index].ns = static_cast<std::int64_t>(index) + 1;
  }
  entered.ns = line.begin_ns;
  line.points =
      report::largest_by_column(std::span<const analysis::Point>(points), entered,
                                {.begin_ns = line.begin_ns, .end_ns = line.end_ns, .count = kColumnsOfTime});
  return line;
}

std::string joined(const std::vector<Setting>& settings, std::string Setting::*part) {
  std::string text;
  for (const Setting& setting : settings) text += (text.empty() ? "" : ", ") + setting.*part;
  return text;
}

void draw_tile(Drawing& drawing, const CellTimeline& line, const Rectangle& area, double most) {
  const auto x_of = [&](std::int64_t ns) {
    return area.left + area.width * static_cast<double>(ns - line.begin_ns) /
                           static_cast<double>(line.end_ns - line.begin_ns);
  };
  std::vector<double> base(line.points.size(), 0.0);
  for (std::size_t category = 0; category < analysis::kCategories; ++category) {
    std::vector<Position> upper, lower;
    bool any = false;
    for (std::size_t index = 0; index < line.points.size(); ++index) {
      const double bytes = static_cast<double>(line.points[index].bytes.at(category));
      any = any || bytes > 0.0;
      const double from = x_of(line.points[index].ns);
      const double to =
          index + 1 < line.points.size() ? x_of(line.points[index + 1].ns) : area.left + area.width;
      const double bottom = area.top + area.height * (1.0 - base[index] / most);
      base[index] += bytes;
      const double top = area.top + area.height * (1.0 - base[index] / most);
      upper.insert(upper.end(), {{from, top}, {to, top}});
      lower.insert(lower.end(), {{from, bottom}, {to, bottom}});
    }
    if (!any) continue;
    upper.insert(upper.end(), lower.rbegin(), lower.rend());
    drawing.fill(upper, colour_of(static_cast<analysis::Category>(category)));
  }
}

}  // namespace

TileTitles tile_titles(const std::vector<CellTimeline>& timelines,
                       const std::function<bool(const std::string&)>& fits) {
  const bool have_room = std::ranges::all_of(
      timelines, [&](const CellTimeline& line) { return line.settings.empty() || fits(line.label); });
  TileTitles titles;
  for (const CellTimeline& line : timelines) {
    const bool is_whole = have_room || line.settings.empty();
    if (!is_whole) titles.axes = joined(line.settings, &Setting::axis);
    titles.tiles.push_back(is_whole ? line.label : joined(line.settings, &Setting::label));
  }
  return titles;
}

std::vector<CellTimeline> cell_timelines(const GridFolder& folder, const Plan& plan,
                                         const std::vector<CellState>& states,
                                         const std::vector<std::string>& only,
                                         std::vector<std::string>& notes) {
  std::vector<CellTimeline> timelines;
  std::size_t left_out = 0;
  for (std::size_t index = 0; index < plan.cells.size(); ++index) {
    const Cell& cell = plan.cells[index];
    if (states[index].status != Status::kOk) continue;
    if (!only.empty() && std::ranges::find(only, cell.id) == only.end()) continue;
    if (timelines.size() == kMostTimelines) {
      ++left_out;
      continue;
    }
    try {
      const analysis::Facts facts = analysis::analyse(folder.run(cell.id, states[index].attempt));
      if (facts.window_end_ns <= facts.window_begin_ns || facts.points.empty()) continue;
      timelines.push_back(timeline_of(facts, cell));
    } catch (const std::exception& error) {
      notes.push_back(fmt::format("no timeline of {}: {}", cell.id, error.what()));
    }
  }
  if (left_out > 0)
    notes.push_back(
        fmt::format("timelines of the first {} cells; {} more are left out", kMostTimelines, left_out));
  return timelines;
}

std::string timelines_picture(const std::vector<CellTimeline>& timelines, const std::string& title,
                              FileFormat format) {
  analysis::CategoryBytes shown{};
  double most = 1.0;
  for (const CellTimeline& line : timelines) {
    for (const analysis::Point& point : line.points) {
      most = std::max(most, static_cast<double>(analysis::sum(point.bytes)));
      for (std::size_t category = 0; category < shown.size(); ++category)
        shown.at(category) = std::max(shown.at(category), point.bytes.at(category));
    }
  }
  const std::size_t rows = (timelines.size() + kAcross - 1) / kAcross;
  const double step_down = kTileTitle + kTileHeight + kTileGap, top = kHeadHeight + kLegendHeight;
  const double width = kMargin + kScaleWidth +
                       static_cast<double>(std::max<std::size_t>(std::min(kAcross, timelines.size()), 2)) *
                           (kTileWidth + kTileGap) +
                       kMargin;
  Drawing drawing(format, width, top + static_cast<double>(rows) * step_down + kMargin, 2.0);
  const report::plot::Axis axis = bytes_axis(most, 4);
  const char* const dry = std::ranges::any_of(timelines, &CellTimeline::by_event)
                              ? " For dry runs, all allocations and frees are equally wide."
                              : "";
  const TileTitles titles = tile_titles(
      timelines, [&](const std::string& text) { return drawing.width_of(text, kTitleStyle) <= kTileWidth; });
  draw_head(drawing, titles.axes.empty() ? title : fmt::format("{}, by {}", title, titles.axes),
            fmt::format("{}, one scale for all; the horizontal axis shows each window from begin to end.{}",
                        axis.unit, dry),
            width);
  draw_legend(drawing, {kMargin, kHeadHeight + 4.0}, shown);
  for (std::size_t index = 0; index < timelines.size(); ++index) {
    const std::size_t rows_above = index / kAcross;
    const auto column = static_cast<double>(index % kAcross), row = static_cast<double>(rows_above);
    const Rectangle area{kMargin + kScaleWidth + column * (kTileWidth + kTileGap),
                         top + row * step_down + kTileTitle, kTileWidth, kTileHeight};
    const CellTimeline& line = timelines[index];
    drawing.text({area.left, area.top - 4.0}, cut_to(drawing, titles.tiles[index], kTitleStyle, kTileWidth),
                 kTitleStyle);
    for (const Mark& mark : axis.marks) {
      const double y = area.top + area.height * (1.0 - mark.value / axis.end);
      drawing.line({{area.left, y}, {area.left + area.width, y}}, kRule, 0.5);
      if (index % kAcross == 0)
        drawing.text({area.left - 5.0, y + 3.0}, mark.label, {8.0, kMuted, Align::kRight, false});
    }
    draw_tile(drawing, line, area, axis.end);
  }
  return drawing.finish();
}

}  // namespace strata::grid
