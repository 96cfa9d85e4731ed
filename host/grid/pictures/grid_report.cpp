// SPDX-License-Identifier: Apache-2.0
#include "host/grid/pictures/grid_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "host/grid/pictures/heat_picture.hpp"
#include "host/grid/pictures/page.hpp"
#include "host/grid/pictures/pair.hpp"
#include "host/grid/pictures/pareto_picture.hpp"
#include "host/grid/pictures/timelines.hpp"
#include "host/grid/table/heat_map.hpp"
#include "host/grid/table/labels.hpp"
#include "host/grid/table/results.hpp"

namespace strata::grid {
namespace {

using report::plot::FileFormat;

class Report {
 public:
  Report(const GridFolder& folder, const Plan& plan, const std::vector<CellState>& states,
         const PictureChoice& choice)
      : folder_(folder), plan_(plan), states_(states), choice_(choice) {}

  ReportFiles write(const Table& table) {
    sections_.push_back({"Cells", html_table(table)});
    if (!plan_.labels.empty())
      sections_.push_back({"What labels stand for", html_table(labels_table(plan_))});
    pair();
    pareto();
    heat();
    timelines();
    failures();
    files_.page = grid_page(plan_, states_, sections_);
    return std::move(files_);
  }

 private:
  // In each of the formats, and in the page.
  void picture(const std::string& name, const std::string& title,
               const std::function<std::string(FileFormat)>& draw) {
    for (const std::string& format : choice_.formats)
      files_.pictures.emplace_back(fmt::format("{}.{}", name, format),
                                   draw(report::plot::file_format_named(format).value()));
    sections_.push_back({title, html_picture(draw(FileFormat::kSvg), title)});
  }

  void pair() {
    if (choice_.pair.size() != 2) return;
    sections_.push_back({"Two cells side by side",
                         html_table(pair_table(folder_, plan_, states_, choice_.pair[0], choice_.pair[1]))});
  }

  // Measured and modelled values are not compared.
  std::vector<LabelledPoint> points_of(bool measured) const {
    std::vector<LabelledPoint> points;
    for (std::size_t index = 0; index < states_.size(); ++index) {
      const auto& result = states_[index].result;
      if (states_[index].status != Status::kOk || !result || result->measured != measured) continue;
      const auto time = result->measures[measured ? Measure::kStepTime : Measure::kModelledStepTime],
                 memory = result->measures[Measure::kPeakAllocated];
      if (time && memory) points.push_back({{*time, *memory}, plan_.cells[index].text()});
    }
    return points;
  }

  bool ran_dry() const {
    return std::ranges::any_of(
        states_, [](const CellState& state) { return state.result && !state.result->measured; });
  }

  void pareto() {
    std::vector<LabelledPoint> points = points_of(true);
    const bool measured = points.size() >= 2;
    if (!measured) points = points_of(false);
    if (points.size() < 2) {
      files_.notes.emplace_back(ran_dry()
                                    ? "no picture of memory against time: dry cells have only the host's "
                                      "time; use --clock modelled to model the device's time"
                                    : "no picture of memory against time: fewer than two cells have both");
      return;
    }
    const std::string time = measured ? "step time" : "modelled step time";
    const std::string below = measured ? "Joined: no other cell needs less of both."
                                       : "Joined: no other cell needs less of both. Times come from a "
                                         "roofline model, not from measurement.";
    picture("pareto", "Memory against " + time, [&](FileFormat format) {
      return pareto_picture(
          points,
          {fmt::format("{}: memory against {}", plan_.name, time), below, measured ? "median step" : time},
          format);
    });
  }

  static std::string field_sentence(const HeatMaps& heat) {
    if (heat.folded.empty()) return "Each field is one cell.";
    return fmt::format("Each field is the median over {}; for two cells, their mean.", joined(heat.folded));
  }

  void heat() {
    const MeasureName* const measure = find_measure(choice_.measure);
    if (measure == nullptr)
      throw ColumnError(
          fmt::format("--of {}: unknown measure; expected peak_allocated or step_time", choice_.measure));
    for (const std::string& axis : choice_.heat_axes) {
      if (std::ranges::find(plan_.axes, axis) == plan_.axes.end())
        throw ColumnError(
            fmt::format("--heat {}: not an axis of this grid; its axes are {}", axis, joined(plan_.axes)));
    }
    auto axes = choice_.heat_axes.size() == 2
                    ? std::optional(std::pair(choice_.heat_axes[0], choice_.heat_axes[1]))
                    : widest_axes(plan_);
    if (!axes) {
      files_.notes.emplace_back("no heat map: the grid has fewer than two axes with several values");
      return;
    }
    const HeatMaps heat = heat_maps(plan_, states_, axes->first, axes->second, measure->measure);
    const ColumnKind kind = measure->unit == Unit::kBytes         ? ColumnKind::kBytes
                            : measure->unit == Unit::kNanoseconds ? ColumnKind::kNanoseconds
                            : measure->unit == Unit::kPerSecond   ? ColumnKind::kPerSecond
                                                                  : ColumnKind::kNumber;
    const std::string title = heading({std::string(measure->name), kind});
    picture("heat", fmt::format("{} by {} and {}", title, axes->first, axes->second), [&](FileFormat format) {
      return heat_picture(heat.maps, kind, fmt::format("{}: {}", plan_.name, title), field_sentence(heat),
                          format);
    });
  }

  void timelines() {
    const std::vector<CellTimeline> lines =
        cell_timelines(folder_, plan_, states_, choice_.pair, files_.notes);
    if (lines.empty()) return;
    picture("timelines", "Memory over the window, on one scale", [&](FileFormat format) {
      return timelines_picture(lines, fmt::format("{}: memory over the window", plan_.name), format);
    });
  }

  void failures() {
    Table table{.columns = {{"id", ColumnKind::kText},
                            {"cell", ColumnKind::kText},
                            {"status", ColumnKind::kText},
                            {"reason", ColumnKind::kText}},
                .rows = {}};
    for (std::size_t index = 0; index < states_.size(); ++index) {
      if (states_[index].reason.empty()) continue;
      table.rows.push_back({text_entry(plan_.cells[index].id), text_entry(plan_.cells[index].text()),
                            text_entry(std::string(name_of(states_[index].status))),
                            text_entry(states_[index].reason)});
    }
    if (!table.rows.empty()) sections_.push_back({"Cells without a full result", html_table(table)});
  }

  static std::string joined(const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& each : names) text += (text.empty() ? "" : ", ") + each;
    return text;
  }

  const GridFolder& folder_;
  const Plan& plan_;
  const std::vector<CellState>& states_;
  const PictureChoice& choice_;
  ReportFiles files_;
  std::vector<PageSection> sections_;
};

}  // namespace

ReportFiles grid_report(const GridFolder& folder, const Plan& plan, const std::vector<CellState>& states,
                        const Table& table, const PictureChoice& choice) {
  return Report(folder, plan, states, choice).write(table);
}

}  // namespace strata::grid
