// SPDX-License-Identifier: Apache-2.0
#include "host/report/plot/bars.hpp"

#include <algorithm>

#include "host/report/plot/axis.hpp"
#include "host/report/plot/frame.hpp"
#include "host/report/plot/palette.hpp"

namespace strata::report::plot {
namespace {

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

}  // namespace

std::string draw_bars(const BarChart& chart, const PlotOptions& options) {
  return Bars(chart, options).file();
}

}  // namespace strata::report::plot
