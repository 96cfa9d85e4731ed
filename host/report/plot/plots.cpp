// SPDX-License-Identifier: Apache-2.0
#include "host/report/plot/plots.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "host/analysis/facts/category.hpp"
#include "host/analysis/facts/memory_facts.hpp"
#include "host/report/layer_rows.hpp"
#include "host/report/plot/axis.hpp"
#include "host/report/plot/frame.hpp"
#include "host/report/plot/memory_plot.hpp"
#include "host/report/plot/palette.hpp"
#include "host/report/quantity.hpp"

namespace strata::report::plot {
namespace {

// Rows of horizontal bars: a label, segments by category, and the total.

struct BarRow {
  std::string label;
  int indent = 0;
  analysis::CategoryBytes segments{};
  std::string amount;  // on the right
  // If not negative: a line over the bar from `least` to `most`, with a tick at `middle`, in bytes.
  double least = -1.0, middle = -1.0, most = -1.0;
};

struct BarChart {
  std::string title, below;
  std::vector<BarRow> rows;
  std::string amounts;  // heading of the column of amounts
};

constexpr double kRow = 17.0, kBar = 11.0, kIndent = 10.0, kAxis = 26.0, kGap = 8.0;
constexpr TextStyle kLabel{9.0, kInk, Align::kLeft, false}, kAmountText{9.0, kInk, Align::kRight, false};

double height_of(const BarChart& chart) {
  return kHeadHeight + kLegendHeight + kRow * (static_cast<double>(chart.rows.size()) + 1.0) + kAxis +
         kMargin;
}

class Bars {
 public:
  Bars(const BarChart& chart, const PlotOptions& options)
      : chart_(chart),
        options_(options),
        drawing_(options.format, options.width, height_of(chart), options.pixels_a_point),
        label_width_(label_width()),
        amount_width_(amount_width()),
        axis_(bytes_axis(most(), 5)) {
    left_ = kMargin + label_width_ + kGap;
    width_ = options.width - left_ - kGap - amount_width_ - kMargin;
    if (width_ < 60.0) throw DrawingError("the picture is too narrow: give it more width");
  }

  std::string file() {
    draw_head(drawing_, chart_.title, chart_.below, options_.width);
    analysis::CategoryBytes shown{};
    for (const BarRow& row : chart_.rows) {
      for (std::size_t index = 0; index < shown.size(); ++index) shown.at(index) |= row.segments.at(index);
    }
    draw_legend(drawing_, {kMargin, kHeadHeight + 8.0}, shown);
    const double top = kHeadHeight + kLegendHeight;
    drawing_.text({options_.width - kMargin, top + 11.0}, chart_.amounts,
                  {8.5, kMuted, Align::kRight, false});
    grid(top + kRow);
    for (std::size_t index = 0; index != chart_.rows.size(); ++index)
      row(chart_.rows[index], top + kRow * (static_cast<double>(index) + 1.0));
    return drawing_.finish();
  }

 private:
  double label_width() const {
    double widest = 40.0;
    for (const BarRow& row : chart_.rows)
      widest = std::max(widest, drawing_.width_of(row.label, kLabel) + kIndent * row.indent);
    return std::min(widest, options_.width * 0.38);
  }

  double amount_width() const {
    double widest = drawing_.width_of(chart_.amounts, {8.5, kMuted, Align::kRight, false});
    for (const BarRow& row : chart_.rows)
      widest = std::max(widest, drawing_.width_of(row.amount, kAmountText));
    return widest;
  }

  double most() const {
    double most = 1.0;
    for (const BarRow& row : chart_.rows)
      most = std::max({most, static_cast<double>(analysis::sum(row.segments)), row.most});
    return most;
  }

  double x(double bytes) const { return left_ + width_ * bytes / axis_.end; }

  void grid(double top) {
    const double bottom = top + kRow * static_cast<double>(chart_.rows.size());
    for (const Mark& mark : axis_.marks) {
      drawing_.line({{x(mark.value), top}, {x(mark.value), bottom + 2.0}}, kRule, 0.6);
      drawing_.text({x(mark.value), bottom + 13.0}, mark.label, {8.5, kMuted, Align::kMiddle, false});
    }
    drawing_.text({x(axis_.end), bottom + 25.0}, axis_.unit, {8.5, kMuted, Align::kMiddle, false});
  }

  void row(const BarRow& row, double top) {
    const double baseline = top + kRow - 5.0, indent = kIndent * row.indent;
    drawing_.text({kMargin + indent, baseline}, cut_to(drawing_, row.label, kLabel, label_width_ - indent),
                  kLabel);
    drawing_.text({options_.width - kMargin, baseline}, row.amount, kAmountText);
    double before = 0.0;
    for (std::size_t index = 0; index < row.segments.size(); ++index) {
      if (row.segments.at(index) == 0) continue;
      const double bytes = static_cast<double>(row.segments.at(index));
      drawing_.fill(
          Rectangle{x(before), top + (kRow - kBar) / 2, std::max(x(before + bytes) - x(before), 0.4), kBar},
          colour_of(static_cast<analysis::Category>(index)));
      before += bytes;
    }
    if (row.least >= 0.0) range(row, top + kRow / 2);
  }

  void range(const BarRow& row, double middle) {
    drawing_.line({{x(row.least), middle}, {x(row.most), middle}}, kInk, 1.0);
    for (const double end : {row.least, row.most})
      drawing_.line({{x(end), middle - 2.5}, {x(end), middle + 2.5}}, kInk, 1.0);
    drawing_.line({{x(row.middle), middle - 5.0}, {x(row.middle), middle + 5.0}}, kInk, 1.6);
  }

  const BarChart& chart_;
  const PlotOptions& options_;
  Drawing drawing_;
  double label_width_, amount_width_;
  Axis axis_;
  double left_ = 0.0, width_ = 0.0;
};

// As high as its rows require. Throws DrawingError.
std::string draw_bars(const BarChart& chart, const PlotOptions& options) {
  return Bars(chart, options).file();
}

using analysis::Category;
using analysis::MemoryFacts;

constexpr std::size_t kLayerRows = 28, kKindRows = 18;

std::string amount(std::uint64_t bytes, int decimals) {
  return mebibytes(static_cast<double>(bytes), decimals);
}

int decimals_of(const MemoryFacts& facts) {
  return decimals_for(static_cast<double>(facts.peak.allocated_bytes));
}

BarChart categories(const MemoryFacts& facts, const PlotOptions& options) {
  BarChart chart{
      title_of(facts, options),
      fmt::format("steps {} to {}: bars are the mean over events, lines reach from the least to the most, "
                  "thick ticks are the median",
                  facts.first_step, facts.last_step),
      {},
      "mean, MiB"};
  for (std::size_t index = 0; index < analysis::kCategories; ++index) {
    const auto& of = facts.statistics.at(index);
    BarRow row{.label = to_string(static_cast<Category>(index)),
               .amount = mebibytes(of.mean_over_events, decimals_of(facts)),
               .least = static_cast<double>(of.min),
               .middle = static_cast<double>(of.median),
               .most = static_cast<double>(of.max)};
    row.segments.at(index) = static_cast<std::uint64_t>(of.mean_over_events);
    chart.rows.push_back(std::move(row));
  }
  return chart;
}

analysis::LayerTree tree_of(const MemoryFacts& facts, const std::optional<std::int64_t>& step) {
  if (!step) return folded_layer_tree(facts, facts.layers.sequence, facts.layers.interval);
  const auto found = std::ranges::find(facts.steps, *step, &analysis::StepFact::index);
  if (found == facts.steps.end()) throw std::out_of_range(fmt::format("the run recorded no step {}", *step));
  return folded_layer_tree(facts, found->peak_sequence, interval_of(facts, *step));
}

BarChart layers(const MemoryFacts& facts, const PlotOptions& options) {
  BarChart chart{title_of(facts, options),
                 options.step ? fmt::format("what each module holds at the peak of step {}", *options.step)
                              : "what each module holds at the peak",
                 {},
                 "MiB"};
  const analysis::LayerTree tree = tree_of(facts, options.step);
  for (const LayerRow& row : largest_layer_rows(tree, kLayerRows)) {
    BarRow bar{.label = row.label,
               .indent = static_cast<int>(row.depth),
               .amount = amount(row.bytes, decimals_of(facts))};
    if (row.kind == LayerRow::Kind::kNode) bar.segments = row.node->total;
    if (row.kind == LayerRow::Kind::kItself) bar.segments = row.node->self;
    chart.rows.push_back(std::move(bar));
  }
  return chart;
}

// A kind's label is "Activation/saved".
Category category_of(std::string_view label) {
  const std::string_view name = label.substr(0, label.find('/'));
  for (std::size_t index = 0; index < analysis::kCategories; ++index) {
    if (name == to_string(static_cast<Category>(index))) return static_cast<Category>(index);
  }
  return Category::kUnknown;
}

BarChart peak(const MemoryFacts& facts, const PlotOptions& options) {
  const auto& peak = facts.peak;
  BarChart chart{title_of(facts, options),
                 fmt::format("alive at the peak of {} MiB{}{}", amount(peak.allocated_bytes, 1),
                             peak.step < 0 ? "" : fmt::format(", step {}", peak.step),
                             peak.phase.empty() ? "" : ", " + peak.phase),
                 {},
                 "MiB, share"};
  for (const auto& kind : peak.by_kind) {
    if (chart.rows.size() == kKindRows) break;
    BarRow row{.label = kind.label,
               .amount = fmt::format(
                   "{}  {}", amount(kind.bytes, decimals_of(facts)),
                   percentage(static_cast<double>(kind.bytes), static_cast<double>(peak.allocated_bytes)))};
    std::ranges::replace(row.label, '/', ' ');
    row.segments.at(static_cast<std::size_t>(category_of(kind.label))) = kind.bytes;
    chart.rows.push_back(std::move(row));
  }
  return chart;
}

}  // namespace

std::string draw(const MemoryFacts& facts, Picture picture, const PlotOptions& options) {
  switch (picture) {
    case Picture::kMemory:
      return draw_memory(facts, options);
    case Picture::kCategories:
      return draw_bars(categories(facts, options), options);
    case Picture::kLayers:
      return draw_bars(layers(facts, options), options);
    case Picture::kPeak:
      return draw_bars(peak(facts, options), options);
  }
  throw std::logic_error("no such picture");
}

}  // namespace strata::report::plot
