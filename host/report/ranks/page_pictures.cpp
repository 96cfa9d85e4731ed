// SPDX-License-Identifier: Apache-2.0
#include "host/report/ranks/page_pictures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "host/report/plot/palette.hpp"
#include "host/report/quantity.hpp"
#include "host/report/text.hpp"

namespace strata::report {
namespace {

using analysis::JobFacts;

constexpr double kPictureLeft = 70.0, kPictureWidth = 900.0, kPictureRow = 18.0;
constexpr std::size_t kMostCells = 300;
// STRATA_PHASE_* in order, strong enough to be told apart in thin rows.
constexpr std::array<std::uint32_t, 13> kPhaseColours{0x9AA3AF, 0x9AA3AF, 0x8E7CC3, 0xA999D6, 0x3F9B6A,
                                                      0xD9A62E, 0xD3607F, 0xB07CC6, 0x3E9BC0, 0x2F7FB5,
                                                      0x7D8794, 0x9AA3AF, 0x9AA3AF};

std::string open_picture(double height, std::string_view label) {
  return fmt::format(
      "<svg role=\"img\" aria-label=\"{}\" viewBox=\"0 0 {:.0f} {:.0f}\" "
      "style=\"width:100%;max-width:{:.0f}px\">\n",
      html_text(label), kPictureLeft + kPictureWidth + 10, height, kPictureLeft + kPictureWidth + 10);
}

std::string row_label(std::uint64_t rank, double top) {
  return fmt::format("<text x=\"{:.0f}\" y=\"{:.1f}\" text-anchor=\"end\">rank {}</text>\n", kPictureLeft - 8,
                     top + kPictureRow * 0.7, rank);
}

std::string rectangle(double left, double top, double width, std::uint32_t colour, std::string_view title,
                      double opacity = 1.0) {
  return fmt::format(
      "<rect x=\"{:.2f}\" y=\"{:.1f}\" width=\"{:.2f}\" height=\"{:.1f}\" fill=\"#{:06x}\" "
      "fill-opacity=\"{:.2f}\"><title>{}</title></rect>\n",
      left, top, std::max(width, 0.5), kPictureRow - 3, colour, opacity, html_text(title));
}

std::string swatch(std::uint32_t colour, std::string_view name) {
  return fmt::format("<span class=\"key\"><i style=\"background:#{:06x}\"></i>{}</span> ", colour,
                     html_text(name));
}

}  // namespace

std::string html_text(std::string_view text) {
  std::string escaped;
  for (const char letter : printable(text)) {
    if (letter == '&')
      escaped += "&amp;";
    else if (letter == '<')
      escaped += "&lt;";
    else if (letter == '>')
      escaped += "&gt;";
    else if (letter == '"')
      escaped += "&quot;";
    else
      escaped += letter;
  }
  return escaped;
}

std::string category_bars_picture(const JobFacts& job) {
  const auto most =
      static_cast<double>(std::max<std::uint64_t>(1, job.ranks[job.imbalance.heaviest].peak_allocated_bytes));
  std::string svg =
      open_picture(kPictureRow * static_cast<double>(job.ranks.size()), "Peak by category, a bar a rank");
  analysis::CategoryBytes held{};
  double top = 0.0;
  for (const analysis::RankFacts& rank : job.ranks) {
    svg += row_label(rank.rank, top);
    double left = kPictureLeft;
    for (std::size_t category = 0; category < analysis::kCategories; ++category) {
      const std::uint64_t bytes = rank.peak_categories.at(category);
      if (bytes == 0) continue;
      held.at(category) += bytes;
      const double width = static_cast<double>(bytes) / most * kPictureWidth;
      svg += rectangle(
          left, top, width, plot::kCategoryColours.at(category),
          fmt::format("rank {}: {} {} MiB", rank.rank, to_string(static_cast<analysis::Category>(category)),
                      mebibytes(static_cast<double>(bytes), 3)));
      left += width;
    }
    top += kPictureRow;
  }
  svg += "</svg>\n<p>";
  for (std::size_t category = 0; category < analysis::kCategories; ++category) {
    if (held.at(category) > 0)
      svg +=
          swatch(plot::kCategoryColours.at(category), to_string(static_cast<analysis::Category>(category)));
  }
  return svg + "</p>\n";
}

std::string slowness_picture(const JobFacts& job) {
  const auto& steps = job.stragglers.steps;
  if (steps.empty()) return {};
  // Of more steps than fit, each cell is the slowest of several.
  const std::size_t each = (steps.size() + kMostCells - 1) / kMostCells;
  const std::size_t cells = (steps.size() + each - 1) / each;
  std::int64_t most = 1;
  for (const analysis::StepComparison& step : steps) most = std::max(most, step.excess_ns[step.slowest]);
  std::string svg =
      open_picture(kPictureRow * static_cast<double>(job.ranks.size()), "By how much each rank was slower");
  const double width = std::min(kPictureWidth / static_cast<double>(cells), 40.0);
  for (std::size_t rank = 0; rank < job.ranks.size(); ++rank) {
    const double top = kPictureRow * static_cast<double>(rank);
    svg += row_label(job.ranks[rank].rank, top);
    for (std::size_t cell = 0; cell < cells; ++cell) {
      const std::size_t first = cell * each, end = std::min(first + each, steps.size());
      std::size_t slowest = first;
      for (std::size_t step = first; step < end; ++step) {
        if (steps[step].excess_ns[rank] > steps[slowest].excess_ns[rank]) slowest = step;
      }
      const std::int64_t excess = std::max<std::int64_t>(0, steps[slowest].excess_ns[rank]);
      svg += rectangle(kPictureLeft + static_cast<double>(cell) * width, top, width - (width > 4 ? 1 : 0),
                       0xA3202F,
                       fmt::format("rank {}, step {}: {} slower", job.ranks[rank].rank, steps[slowest].index,
                                   duration(static_cast<double>(excess))),
                       0.06 + 0.94 * static_cast<double>(excess) / static_cast<double>(most));
    }
  }
  return svg + fmt::format(
                   "</svg>\n<p>Steps {} to {}; the strongest colour is {} slower than the middle rank.</p>\n",
                   steps.front().index, steps.back().index, duration(static_cast<double>(most)));
}

std::string step_picture(const JobFacts& job) {
  std::int64_t begin_ns = INT64_MAX, end_ns = INT64_MIN;
  const auto step_of = [&](std::size_t rank) -> const analysis::RankStep* {
    const auto& steps = job.ranks[rank].steps;
    const auto found = std::ranges::find(steps, job.shown_step, &analysis::RankStep::index);
    return found == steps.end() ? nullptr : &*found;
  };
  for (std::size_t rank = 0; rank < job.ranks.size(); ++rank) {
    const auto* const step = step_of(rank);
    if (step == nullptr) continue;
    begin_ns = std::min(begin_ns, job.clocks.to_first(rank, step->begin_ns));
    end_ns = std::max(end_ns, job.clocks.to_first(rank, step->end_ns));
  }
  if (end_ns <= begin_ns) return {};
  const double scale = kPictureWidth / static_cast<double>(end_ns - begin_ns);
  std::string svg =
      open_picture(kPictureRow * static_cast<double>(job.ranks.size()), "One step of all ranks on one clock");
  std::array<std::string, kPhaseColours.size()> names;
  for (std::size_t rank = 0; rank < job.ranks.size(); ++rank) {
    const double top = kPictureRow * static_cast<double>(rank);
    svg += row_label(job.ranks[rank].rank, top);
    const auto* const step = step_of(rank);
    if (step == nullptr) continue;
    if (step->wait_end_ns > step->last_gradient_ns) {
      const auto wait_ns = static_cast<double>(step->wait_end_ns - step->last_gradient_ns);
      svg += rectangle(
          kPictureLeft +
              static_cast<double>(job.clocks.to_first(rank, step->last_gradient_ns) - begin_ns) * scale,
          top, wait_ns * scale, kPhaseColours.at(analysis::kSyncPhase),
          fmt::format("rank {}: waits for others {}", job.ranks[rank].rank, duration(wait_ns)), 0.25);
    }
    for (const analysis::RankPhase& phase : step->phases) {
      const std::size_t kind = phase.kind < kPhaseColours.size() ? phase.kind : analysis::kOtherPhase;
      const std::string& name = job.ranks[rank].names[phase.name];
      names.at(kind) = name;
      const auto draw = [&](std::int64_t from_ns, std::int64_t to_ns, double opacity, std::string_view what) {
        if (to_ns <= from_ns) return;
        svg += rectangle(
            kPictureLeft + static_cast<double>(job.clocks.to_first(rank, from_ns) - begin_ns) * scale, top,
            static_cast<double>(to_ns - from_ns) * scale, kPhaseColours.at(kind),
            fmt::format("rank {}: {}{} {}", job.ranks[rank].rank, name, what,
                        duration(static_cast<double>(to_ns - from_ns))),
            opacity);
      };
      const std::int64_t waits_from_ns = phase.end_ns - phase.waited_ns;
      draw(phase.begin_ns, waits_from_ns, 1.0, "");
      draw(waits_from_ns, phase.end_ns, 0.25, ", waiting for others,");
    }
  }
  svg += "</svg>\n<p>";
  for (std::size_t kind = 0; kind < names.size(); ++kind) {
    if (!names.at(kind).empty()) svg += swatch(kPhaseColours.at(kind), names.at(kind));
  }
  return svg + fmt::format("Step {}, {} from edge to edge; pale: waiting for others.</p>\n", job.shown_step,
                           duration(static_cast<double>(end_ns - begin_ns)));
}

}  // namespace strata::report
