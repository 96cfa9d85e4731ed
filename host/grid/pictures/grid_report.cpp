// SPDX-License-Identifier: Apache-2.0
#include "host/grid/pictures/grid_report.hpp"

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "host/config/reading/setting_differences.hpp"
#include "host/grid/cell_state.hpp"
#include "host/grid/grid_folder.hpp"
#include "host/grid/pictures/heat_picture.hpp"
#include "host/grid/pictures/pareto_picture.hpp"
#include "host/grid/pictures/timelines.hpp"
#include "host/grid/plan/plan.hpp"
#include "host/grid/table/heat_map.hpp"
#include "host/grid/table/labels.hpp"
#include "host/grid/table/results.hpp"
#include "host/grid/table/table.hpp"
#include "host/grid/tally.hpp"
#include "host/report/text.hpp"

namespace strata::grid {
namespace {

// Compares two cells.

std::size_t index_of(const Plan& plan, const std::string& id) {
  const auto cell = std::ranges::find(plan.cells, id, &Cell::id);
  if (cell == plan.cells.end()) throw ColumnError(fmt::format("no cell has the id {}", id));
  return static_cast<std::size_t>(cell - plan.cells.begin());
}

ColumnKind unit_kind(Unit unit) {
  return unit == Unit::kBytes         ? ColumnKind::kBytes
         : unit == Unit::kNanoseconds ? ColumnKind::kNanoseconds
         : unit == Unit::kPerSecond   ? ColumnKind::kPerSecond
                                      : ColumnKind::kNumber;
}

std::string change_text(const std::optional<double>& from, const std::optional<double>& to) {
  if (!from || !to || *from == 0.0) return "";
  return fmt::format("{:+.1f}%", 100.0 * (*to - *from) / *from);
}

// The settings that differ, then each measure of both with its change. Throws ColumnError if there is no cell
// with that id.
Table pair_table(const GridFolder& folder, const Plan& plan, const std::vector<CellState>& states,
                 const std::string& first, const std::string& second) {
  const std::size_t a = index_of(plan, first), b = index_of(plan, second);
  Table table{.columns = {{"what", ColumnKind::kText},
                          {first, ColumnKind::kText},
                          {second, ColumnKind::kText},
                          {"change", ColumnKind::kText}},
              .rows = {}};
  const auto add = [&](const std::string& what, const std::string& left, const std::string& right,
                       const std::string& change) {
    table.rows.push_back({text_entry(what), text_entry(left), text_entry(right), text_entry(change)});
  };
  for (const auto& each : config::setting_differences(folder.config(first), folder.config(second))) {
    if (each.key != "name") add(each.key, each.base, each.other, "");
  }
  add("status", std::string(name_of(states[a].status)), std::string(name_of(states[b].status)), "");
  for (const MeasureName& each : kMeasureNames) {
    const auto value = [&](std::size_t index) {
      return states[index].result ? states[index].result->measures[each.measure] : std::nullopt;
    };
    const auto left = value(a), right = value(b);
    if (!left && !right) continue;
    const ColumnKind kind = unit_kind(each.unit);
    add(heading({std::string(each.name), kind}), shown(number_entry(left), kind),
        shown(number_entry(right), kind), change_text(left, right));
  }
  return table;
}

// A grid's page: the table, its pictures, and failures, in one file that opens offline.

struct PageSection {
  std::string title;
  std::string html;  // already escaped
};

constexpr std::string_view kStyle = R"(
:root { color-scheme: light dark; --ink: #18202c; --muted: #546072; --rule: #dfe4ec; --ground: #fff; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6ebf3; --muted: #9aa7ba; --rule: #333d4c; --ground: #11161e; } }
body { font: 14px/1.45 system-ui, sans-serif; color: var(--ink); background: var(--ground); margin: 2rem auto; max-width: 72rem; padding: 0 1rem; }
h1 { font-size: 1.4rem; margin: 0 } h2 { font-size: 1.05rem; margin: 2rem 0 .5rem }
p { color: var(--muted); margin: .3rem 0 }
.wide { overflow-x: auto }
table { border-collapse: collapse; font-variant-numeric: tabular-nums }
th, td { padding: .25rem .7rem .25rem 0; text-align: left; border-bottom: 1px solid var(--rule); white-space: nowrap }
td.number, th.number { text-align: right }
img { max-width: 100%; background: #fff; border: 1px solid var(--rule) }
@media (prefers-color-scheme: dark) { img { filter: invert(.93) hue-rotate(180deg); border-color: transparent } }
)";

std::string base64(const std::string& bytes) {
  constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    std::uint32_t group = 0;
    for (std::size_t each = 0; each < 3; ++each)
      group = group << 8 | (at + each < bytes.size() ? static_cast<unsigned char>(bytes[at + each]) : 0U);
    for (std::size_t each = 0; each < 4; ++each)
      text += at + each <= bytes.size() ? kLetters[group >> (18 - 6 * each) & 63U] : '=';
  }
  return text;
}

// " on a100-40gb"; nothing where cells differ in it.
std::string device_of(const Plan& plan) {
  if (plan.cells.empty()) return {};
  const std::string& device = plan.cells.front().device;
  const bool one = std::ranges::all_of(plan.cells, [&](const Cell& cell) { return cell.device == device; });
  return one && !device.empty() ? " on " + device : std::string();
}

std::string html_table(const Table& table) {
  std::string html = "<div class=\"wide\"><table><thead><tr>";
  const auto cell = [&](const char* tag, std::size_t column, const std::string& text) {
    const bool number = table.columns[column].kind != ColumnKind::kText;
    html +=
        fmt::format("<{}{}>{}</{}>", tag, number ? " class=\"number\"" : "", report::html_text(text), tag);
  };
  for (std::size_t column = 0; column < table.columns.size(); ++column)
    cell("th", column, heading(table.columns[column]));
  html += "</tr></thead><tbody>\n";
  for (const auto& row : table.rows) {
    html += "<tr>";
    for (std::size_t column = 0; column < row.size(); ++column)
      cell("td", column, shown(row[column], table.columns[column].kind));
    html += "</tr>\n";
  }
  return html + "</tbody></table></div>\n";
}

// An SVG document as an embedded image.
std::string html_picture(const std::string& svg, const std::string& description) {
  return fmt::format("<img alt=\"{}\" src=\"data:image/svg+xml;base64,{}\">\n",
                     report::html_text(description), base64(svg));
}

// `pictures` are our own SVG documents with their titles.
std::string grid_page(const Plan& plan, const std::vector<CellState>& states,
                      const std::vector<PageSection>& sections) {
  std::string html = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
      "content=\"width=device-width\">"
      "<title>{0}</title><style>{1}</style></head><body>\n<h1>{0}</h1>\n<p>{2}{3}. Sizes are MiB (2^20 "
      "bytes).</p>\n",
      report::html_text("Grid " + plan.name), kStyle, report::html_text(tally_of(states).text()),
      report::html_text(device_of(plan)));
  for (const PageSection& section : sections)
    html += fmt::format("<h2>{}</h2>\n{}", report::html_text(section.title), section.html);
  return html + "</body></html>\n";
}

using report::plot::FileFormat;

class Report {
 public:
  Report(const GridFolder& folder, const Plan& plan, const std::vector<CellState>& states,
         const PictureChoice& choice)
      : folder_(folder), plan_(plan), states_(states), choice_(choice) {}

  ReportFiles write(const Table& table) {
    sections_.push_back({"Cells", html_table(table)});
    if (!plan_.labels.empty())
      sections_.push_back({"Meaning of the labels", html_table(labels_table(plan_))});
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
