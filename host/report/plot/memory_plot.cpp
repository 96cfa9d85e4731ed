// SPDX-License-Identifier: Apache-2.0
#include "host/report/plot/memory_plot.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "host/analysis/allocator/caching_allocator.hpp"
#include "host/analysis/peak/largest_blocks.hpp"
#include "host/analysis/shapes/find_shapes.hpp"
#include "host/analysis/shapes/shape.hpp"
#include "host/report/plot/axis.hpp"
#include "host/report/plot/drawing.hpp"
#include "host/report/plot/event_clock.hpp"
#include "host/report/plot/frame.hpp"
#include "host/report/plot/label_places.hpp"
#include "host/report/plot/palette.hpp"
#include "host/report/plot/remaining_states.hpp"
#include "host/report/plot/shown_interval.hpp"
#include "host/report/quantity.hpp"
#include "host/report/timeline.hpp"

namespace strata::report::plot {
namespace {

// Labels with arrows on the memory timeline.

// The area of a picture: the positions of moments and values, and the top of the filled part.
struct ShapeGround {
  Rectangle area;
  std::function<double(std::int64_t ns)> x;
  std::function<double(double bytes)> y;
  std::function<double(double x)> covered_from;
  std::vector<Rectangle> taken = {};  // by other text
};

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

// All shapes between `begin_ns` and `end_ns`; the largest are placed first. Returns the number of those that
// could not be placed.
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

using analysis::MemoryFacts;
using analysis::Point;

constexpr double kLeft = 56.0, kBottom = 34.0, kBand = 13.0, kBandGap = 2.0, kNarrowestBand = 1.0;
constexpr TextStyle kMarkText{8.5, kMuted, Align::kRight, false};

class MemoryPlot {
 public:
  MemoryPlot(const MemoryFacts& facts, const PlotOptions& options)
      : facts_(facts),
        options_(options),
        interval_(shown_interval(facts, options)),
        drawing_(options.format, options.width, options.height, options.pixels_a_point),
        states_(states()),
        largest_(options.detail ? largest_blocks(facts, *options.detail) : analysis::LargestBlocks()),
        levels_(levels()),
        bands_(1 + deepest_phase()),
        area_{kLeft, kHeadHeight + kLegendHeight + bands_ * (kBand + kBandGap),
              options.width - kLeft - kMargin, 0.0},
        axis_(bytes_axis(most(), 6)) {
    area_.height = options.height - area_.top - kBottom;
    if (area_.height < 40.0 || area_.width < 80.0)
      throw DrawingError("the picture is too small: give it more width or height");
  }

  std::string file() {
    head();
    grid();
    areas();
    reserved();
    bands();
    peak();
    if (options_.shapes) shapes();
    return drawing_.finish();
  }

 private:
  // Two a point: more than a printer or a screen shows.
  std::vector<Point> states() const {
    const auto before = [](const Point& point, std::int64_t ns) { return point.ns < ns; };
    const auto first =
        std::lower_bound(facts_.points.begin(), facts_.points.end(), interval_.begin_ns, before);
    const auto last = std::lower_bound(first, facts_.points.end(), interval_.end_ns, before);
    Point entered;
    if (first != facts_.points.begin()) entered = *(first - 1);
    entered.ns = interval_.begin_ns;
    return largest_by_column(
        {first, last}, entered,
        {interval_.begin_ns, interval_.end_ns, static_cast<std::size_t>(2.0 * options_.width)});
  }

  // The bytes drawn for each state by category: everything, or only the largest blocks.
  std::vector<analysis::CategoryBytes> levels() const {
    if (options_.detail) return remaining_states(facts_, largest_.blocks, states_);
    std::vector<analysis::CategoryBytes> levels;
    for (const Point& state : states_) levels.push_back(state.bytes);
    return levels;
  }

  std::uint32_t deepest_phase() const {
    std::uint32_t deepest = 0;
    for (const auto& phase : facts_.phases) deepest = std::max(deepest, std::min(phase.depth, 1U));
    return facts_.phases.empty() ? 0 : deepest + 1;
  }

  double most() const {
    std::uint64_t most = 1;
    for (const Point& state : states_) most = std::max(most, analysis::sum(state.bytes));
    for (const auto& point : facts_.reserved) {
      if (point.ns < interval_.end_ns) most = std::max(most, point.bytes);
    }
    return static_cast<double>(most) * 1.06;  // room for the peak's label
  }

  std::string what() const {
    if (options_.step) return fmt::format("step {}", *options_.step);
    if (options_.whole_run) return "the run";
    return facts_.first_step == facts_.last_step
               ? fmt::format("step {}", facts_.first_step)
               : fmt::format("steps {} to {}", facts_.first_step, facts_.last_step);
  }

  double x(std::int64_t ns) const {
    const auto clamped = std::clamp(ns, interval_.begin_ns, interval_.end_ns);
    return area_.left + area_.width * static_cast<double>(clamped - interval_.begin_ns) /
                            static_cast<double>(interval_.end_ns - interval_.begin_ns);
  }
  double y(double bytes) const { return area_.top + area_.height * (1.0 - bytes / axis_.end); }

  void head() {
    const std::string below = fmt::format(
        "peak {} MiB allocated{}{}{}", mebibytes(static_cast<double>(facts_.peak.allocated_bytes), 1),
        facts_.reserved.empty()
            ? ""
            : fmt::format(", {} MiB reserved", mebibytes(static_cast<double>(facts_.peak.reserved_bytes), 1)),
        facts_.dry && options_.over == Over::kTime ? "; times are the host's alone" : "", detail_text());
    draw_head(drawing_, title_of(facts_, options_), below, options_.width);
    analysis::CategoryBytes shown{};
    for (const analysis::CategoryBytes& level : levels_) {
      for (std::size_t index = 0; index < shown.size(); ++index) shown.at(index) |= level.at(index);
    }
    const Position next = draw_legend(drawing_, {kLeft, kHeadHeight + 8.0}, shown);
    if (options_.detail) draw_legend_entry(drawing_, next, kRest, "smaller allocations");
  }

  std::string detail_text() const {
    if (!options_.detail) return {};
    return fmt::format("; detail {:.4g}%: the {} largest of {} allocations, of at least {} MiB",
                       *options_.detail * 100.0, thousands(largest_.blocks.size()),
                       thousands(largest_.all_blocks),
                       mebibytes(static_cast<double>(largest_.least_bytes),
                                 decimals_for(static_cast<double>(facts_.total.max))));
  }

  void grid() {
    for (const Mark& mark : axis_.marks) {
      drawing_.line({{area_.left, y(mark.value)}, {area_.left + area_.width, y(mark.value)}}, kRule, 0.6);
      drawing_.text({area_.left - 6.0, y(mark.value) + 3.0}, mark.label, kMarkText);
    }
    drawing_.text({area_.left - 6.0, area_.top - 6.0}, axis_.unit, kMarkText);
    const auto length = static_cast<double>(length_ns());
    const Axis time = options_.over == Over::kEvents ? count_axis(length, 8, "allocations and frees")
                                                     : time_axis(length, 8);
    const double bottom = area_.top + area_.height;
    TextStyle style = kMarkText;
    style.align = Align::kMiddle;
    for (const Mark& mark : time.marks) {
      const double at = x(interval_.begin_ns + static_cast<std::int64_t>(mark.value));
      drawing_.line({{at, bottom}, {at, bottom + 3.0}}, kMuted, 0.6);
      drawing_.text({at, bottom + 13.0}, mark.label, style);
    }
    style.align = Align::kRight;
    drawing_.text({area_.left + area_.width, bottom + 26.0}, fmt::format("{} into {}", time.unit, what()),
                  style);
  }

  // Each category is stacked on those before it: its lower edge forward, its upper edge back. The rest of a
  // state's total is stacked on top.
  void areas() {
    std::vector<double> below(states_.size(), 0.0);
    for (std::size_t category = 0; category < analysis::kCategories; ++category) {
      std::vector<double> above = below;
      for (std::size_t at = 0; at != states_.size(); ++at)
        above[at] += static_cast<double>(levels_[at].at(category));
      area(below, above, colour_of(static_cast<analysis::Category>(category)));
      below = std::move(above);
    }
    std::vector<double> sums;
    for (const Point& state : states_) sums.push_back(static_cast<double>(analysis::sum(state.bytes)));
    area(below, sums, kRest);
  }

  void area(const std::vector<double>& below, const std::vector<double>& above, Colour colour) {
    if (above == below) return;
    std::vector<Position> corners = edge(below);
    const std::vector<Position> upper = edge(above);
    corners.insert(corners.end(), upper.rbegin(), upper.rend());
    drawing_.fill(corners, colour);
  }

  // A level holds from its state's begin to the next one's.
  std::vector<Position> edge(const std::vector<double>& levels) const {
    std::vector<Position> corners;
    for (std::size_t at = 0; at != states_.size(); ++at) {
      const std::int64_t end = at + 1 == states_.size() ? interval_.end_ns : states_[at + 1].ns;
      corners.push_back({x(states_[at].ns), y(levels[at])});
      corners.push_back({x(end), y(levels[at])});
    }
    return corners;
  }

  void reserved() {
    if (facts_.reserved.empty()) return;
    std::vector<Position> corners;
    double level = 0.0;
    for (const auto& point : facts_.reserved) {
      if (point.ns >= interval_.end_ns) break;
      if (point.ns > interval_.begin_ns) {
        if (corners.empty()) corners.push_back({area_.left, y(level)});
        corners.push_back({x(point.ns), y(level)});
        corners.push_back({x(point.ns), y(static_cast<double>(point.bytes))});
      }
      level = static_cast<double>(point.bytes);
    }
    if (corners.empty()) corners.push_back({area_.left, y(level)});
    corners.push_back({area_.left + area_.width, y(level)});
    drawing_.line(corners, kInk, 0.9, true);
    constexpr TextStyle kStyle{8.0, kInk, Align::kLeft, false};
    const Position at{area_.left + 4.0, corners.back().y - 3.0};
    drawing_.text(at, "reserved", kStyle);
    reserved_text_ = {at.x, at.y - kStyle.size, drawing_.width_of("reserved", kStyle), kStyle.size};
  }

  void bands() {
    double top = kHeadHeight + kLegendHeight;
    for (const auto& step : facts_.steps)
      band(step.begin_ns, step.end_ns, top, fmt::format("step {}", step.index),
           Colour::of(step.index % 2 == 0 ? 0xDBE2EC : 0xE9EDF3));
    for (const auto& phase : facts_.phases) {
      if (phase.depth > 1) continue;
      band(phase.begin_ns, phase.end_ns, top + (1.0 + phase.depth) * (kBand + kBandGap), phase.name,
           phase_colour(phase.kind));
    }
  }

  void band(std::int64_t begin_ns, std::int64_t end_ns, double top, const std::string& label, Colour colour) {
    if (end_ns <= interval_.begin_ns || begin_ns >= interval_.end_ns) return;
    const double left = x(begin_ns), width = x(end_ns) - left;
    if (width < kNarrowestBand) return;
    drawing_.fill(Rectangle{left, top, std::max(width - 0.5, 0.5), kBand}, colour);
    const TextStyle style{7.5, kInk, Align::kLeft, false};
    if (drawing_.width_of(label, style) <= width - 6.0)
      drawing_.text({left + 3.0, top + kBand - 4.0}, label, style);
  }

  void peak() {
    const auto& peak = facts_.peak;
    if (peak.allocated_bytes == 0 || peak.ns < interval_.begin_ns || peak.ns >= interval_.end_ns) return;
    const Position at{x(peak.ns), y(static_cast<double>(peak.allocated_bytes))};
    drawing_.dot(at, 2.6, kAlarm);
    if (options_.shapes) return;  // shown by a label
    const bool is_right = at.x > area_.left + area_.width * 0.6;
    drawing_.text({at.x + (is_right ? -6.0 : 6.0), at.y - 5.0},
                  fmt::format("{} MiB{}", mebibytes(static_cast<double>(peak.allocated_bytes), 1),
                              peak.phase.empty() ? "" : ", " + peak.phase),
                  {8.5, kAlarm, is_right ? Align::kRight : Align::kLeft, true});
  }

  void shapes() {
    const auto covered_from = [this](double at) {
      const auto ns = interval_.begin_ns + static_cast<std::int64_t>((at - area_.left) / area_.width *
                                                                     static_cast<double>(length_ns()));
      const auto next = std::ranges::upper_bound(states_, ns, {}, &Point::ns);
      return next == states_.begin() ? area_.top + area_.height
                                     : y(static_cast<double>(analysis::sum(std::prev(next)->bytes)));
    };
    const std::size_t left_out = draw_shape_labels(
        drawing_, find_shapes(facts_, options_.step), interval_.begin_ns, interval_.end_ns,
        {area_, [this](std::int64_t ns) { return x(ns); }, [this](double bytes) { return y(bytes); },
         covered_from, facts_.reserved.empty() ? std::vector<Rectangle>() : std::vector{reserved_text_}});
    if (left_out == 0) return;
    drawing_.text({area_.left, area_.top + area_.height + 26.0},
                  fmt::format("{} without room: strata report --shapes", left_out),
                  {8.5, kMuted, Align::kLeft, false});
  }

  std::int64_t length_ns() const { return interval_.end_ns - interval_.begin_ns; }

  const MemoryFacts& facts_;
  const PlotOptions& options_;
  ShownInterval interval_;
  Drawing drawing_;
  std::vector<Point> states_;
  analysis::LargestBlocks largest_;              // of a detail
  std::vector<analysis::CategoryBytes> levels_;  // bytes drawn for each state by category
  double bands_;                                 // rows of them
  Rectangle area_;
  Axis axis_;
  Rectangle reserved_text_ = {};
};

}  // namespace

std::string draw_memory(const MemoryFacts& facts, const PlotOptions& options) {
  if (options.over == Over::kEvents) return MemoryPlot(with_event_clock(facts), options).file();
  return MemoryPlot(facts, options).file();
}

}  // namespace strata::report::plot
