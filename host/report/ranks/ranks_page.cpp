// SPDX-License-Identifier: Apache-2.0
#include "host/report/ranks/ranks_page.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "host/analysis/ranks/job_facts.hpp"
#include "host/report/plot/palette.hpp"
#include "host/report/quantity.hpp"
#include "host/report/ranks/rank_choice.hpp"
#include "host/report/ranks/rank_findings.hpp"
#include "host/report/ranks/step_intervals.hpp"
#include "host/report/text.hpp"

namespace strata::report {
namespace {

// The pictures on a page of ranks: HTML with SVG, which needs no script.

using analysis::JobFacts;

constexpr double kPictureLeft = 70.0, kPictureWidth = 900.0, kPictureRow = 18.0;
// Limits that keep the page small enough for a browser with any number of ranks and steps: rows, and cells
// per picture. With more of either, a cell shows the slowest of several.
constexpr std::size_t kMostRows = 64, kMostCells = 8000;
constexpr std::size_t kFewestCellsOfARow = 100, kMostCellsOfARow = 300;
// In units of the picture if there are few rows; narrower intervals are merged with their neighbours.
constexpr double kNarrowestPicture = 2.0;
// STRATA_PHASE_* in order, strong enough to be distinguished in thin rows.
constexpr std::array<std::uint32_t, 13> kPhaseColours{0x9AA3AF, 0x9AA3AF, 0x8E7CC3, 0xA999D6, 0x3F9B6A,
                                                      0xD9A62E, 0xD3607F, 0xB07CC6, 0x3E9BC0, 0x2F7FB5,
                                                      0x7D8794, 0x9AA3AF, 0x9AA3AF};

std::string open_picture(std::size_t rows, std::string_view label) {
  return fmt::format(
      "<svg role=\"img\" aria-label=\"{}\" viewBox=\"0 0 {:.0f} {:.0f}\" "
      "style=\"width:100%;max-width:{:.0f}px\">\n",
      html_text(label), kPictureLeft + kPictureWidth + 10, kPictureRow * static_cast<double>(rows),
      kPictureLeft + kPictureWidth + 10);
}

// A group at the origin of its bars, so that their coordinates are short.
std::string open_row(std::size_t row, std::string_view label) {
  return fmt::format(
      "<g transform=\"translate({:.0f} {:.0f})\"><text x=\"-8\" y=\"{:.1f}\" "
      "text-anchor=\"end\">{}</text>\n",
      kPictureLeft, kPictureRow * static_cast<double>(row), kPictureRow * 0.7, label);
}

std::string rectangle(double left, double width, std::uint32_t colour, std::string_view title,
                      double opacity = 1.0) {
  return fmt::format(
      "<rect x=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.0f}\" fill=\"#{:06x}\"{}><title>{}</title></rect>\n",
      left, std::max(width, 0.5), kPictureRow - 3, colour,
      opacity < 1.0 ? fmt::format(" opacity=\"{:.2f}\"", opacity) : "", html_text(title));
}

std::string left_out_text(const JobFacts& job, std::size_t drawn) {
  if (drawn == job.ranks.size()) return {};
  return fmt::format("{} of {} ranks: those that stand out, and others evenly.", drawn, job.ranks.size());
}

std::string rank_range(const JobFacts& job, std::size_t first, std::size_t last) {
  if (first == last) return fmt::format("rank {}", job.ranks[first].rank);
  return fmt::format("{}-{}", job.ranks[first].rank, job.ranks[last].rank);
}

// `count` things in a row, put into at most `most` bins that are as large as each other, the last one apart.
class Bins {
 public:
  Bins(std::size_t count, std::size_t most)
      : things_(count), each_(std::max<std::size_t>(1, (count + most - 1) / most)) {}
  std::size_t count() const { return (things_ + each_ - 1) / each_; }
  std::size_t largest() const { return each_; }
  std::size_t begin(std::size_t bin) const { return bin * each_; }
  std::size_t end(std::size_t bin) const { return std::min(begin(bin) + each_, things_); }

 private:
  std::size_t things_, each_;
};

struct Slowest {
  std::size_t rank = 0;
  std::int64_t step = 0, excess_ns = 0;
};

// The content of a cell: the slowest value, so that outliers remain visible.
Slowest slowest_within(const JobFacts& job, const Bins& ranks, std::size_t row, const Bins& cells,
                       std::size_t cell) {
  const auto& steps = job.stragglers.steps;
  Slowest found{.rank = ranks.begin(row), .step = steps[cells.begin(cell)].index};
  for (std::size_t step = cells.begin(cell); step < cells.end(cell); ++step) {
    for (std::size_t rank = ranks.begin(row); rank < ranks.end(row); ++rank) {
      if (steps[step].excess_ns[rank] > found.excess_ns)
        found = {rank, steps[step].index, steps[step].excess_ns[rank]};
    }
  }
  return found;
}

std::string swatch(std::uint32_t colour, std::string_view name) {
  return fmt::format("<span class=\"key\"><i style=\"background:#{:06x}\"></i>{}</span> ", colour,
                     html_text(name));
}

// One bar per rank: its peak by category.
// One row per rank, one cell per step: how much slower it was than the median rank. Empty without such steps.
// The job's shown step, one row per rank, with phases on a common clock. Empty if there is none.
std::string category_bars_picture(const JobFacts& job) {
  const auto most =
      static_cast<double>(std::max<std::uint64_t>(1, job.ranks[job.imbalance.heaviest].peak_allocated_bytes));
  const std::vector<std::size_t> drawn = drawn_ranks(job, kMostRows);
  std::string svg = open_picture(drawn.size(), "Peak by category, a bar a rank");
  analysis::CategoryBytes held{};
  for (std::size_t row = 0; row < drawn.size(); ++row) {
    const analysis::RankFacts& rank = job.ranks[drawn[row]];
    svg += open_row(row, fmt::format("rank {}", rank.rank));
    double left = 0.0;
    for (std::size_t category = 0; category < analysis::kCategories; ++category) {
      const std::uint64_t bytes = rank.peak_categories.at(category);
      if (bytes == 0) continue;
      held.at(category) += bytes;
      const double width = static_cast<double>(bytes) / most * kPictureWidth;
      svg += rectangle(
          left, width, plot::kCategoryColours.at(category),
          fmt::format("rank {}: {} {} MiB", rank.rank, to_string(static_cast<analysis::Category>(category)),
                      mebibytes(static_cast<double>(bytes), 3)));
      left += width;
    }
    svg += "</g>\n";
  }
  svg += "</svg>\n<p>";
  for (std::size_t category = 0; category < analysis::kCategories; ++category) {
    if (held.at(category) > 0)
      svg +=
          swatch(plot::kCategoryColours.at(category), to_string(static_cast<analysis::Category>(category)));
  }
  return svg + left_out_text(job, drawn.size()) + "</p>\n";
}

std::string slowness_picture(const JobFacts& job) {
  const auto& steps = job.stragglers.steps;
  if (steps.empty()) return {};
  const Bins ranks(job.ranks.size(), kMostRows);
  const Bins cells(steps.size(),
                   std::clamp(kMostCells / ranks.count(), kFewestCellsOfARow, kMostCellsOfARow));
  std::int64_t most = 1;
  for (const analysis::StepComparison& step : steps) most = std::max(most, step.excess_ns[step.slowest]);
  std::string svg = open_picture(ranks.count(), "By how much each rank was slower");
  const double width = std::min(kPictureWidth / static_cast<double>(cells.count()), 40.0);
  for (std::size_t row = 0; row < ranks.count(); ++row) {
    svg += open_row(row, rank_range(job, ranks.begin(row), ranks.end(row) - 1));
    for (std::size_t cell = 0; cell < cells.count(); ++cell) {
      const Slowest slowest = slowest_within(job, ranks, row, cells, cell);
      svg += rectangle(static_cast<double>(cell) * width, width - (width > 4 ? 1 : 0), 0xA3202F,
                       fmt::format("rank {}, step {}: {} slower", job.ranks[slowest.rank].rank, slowest.step,
                                   duration(static_cast<double>(slowest.excess_ns))),
                       0.06 + 0.94 * static_cast<double>(slowest.excess_ns) / static_cast<double>(most));
    }
    svg += "</g>\n";
  }
  return svg +
         fmt::format(
             "</svg>\n<p>Steps {} to {}; the strongest colour is {} slower than the middle rank.{}</p>\n",
             steps.front().index, steps.back().index, duration(static_cast<double>(most)),
             ranks.largest() * cells.largest() > 1 ? fmt::format(" A cell is the slowest of {} and {}.",
                                                                 counted(ranks.largest(), "rank", "ranks"),
                                                                 counted(cells.largest(), "step", "steps"))
                                                   : "");
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
  const std::vector<std::size_t> drawn = drawn_ranks(job, kMostRows);
  std::string svg = open_picture(drawn.size(), "One step of all ranks on one clock");
  const double narrow = std::max(
      kNarrowestPicture, kPictureWidth * static_cast<double>(drawn.size()) / static_cast<double>(kMostCells));
  std::array<std::string, kPhaseColours.size()> names;
  for (std::size_t row = 0; row < drawn.size(); ++row) {
    const std::size_t rank = drawn[row];
    svg += open_row(row, fmt::format("rank {}", job.ranks[rank].rank));
    if (const auto* const step = step_of(rank)) {
      for (const StepInterval& interval : intervals_of(job.ranks[rank], *step, narrow / scale)) {
        const std::size_t kind = interval.kind < kPhaseColours.size() ? interval.kind : analysis::kOtherPhase;
        if (interval.phases > 0) names.at(kind) = interval.name;
        const auto length_ns = static_cast<double>(interval.end_ns - interval.begin_ns);
        svg += rectangle(
            static_cast<double>(job.clocks.to_first(rank, interval.begin_ns) - begin_ns) * scale,
            length_ns * scale, kPhaseColours.at(kind),
            fmt::format("rank {}: {} {}", job.ranks[rank].rank, interval.text(), duration(length_ns)),
            interval.waits ? 0.25 : 1.0);
      }
    }
    svg += "</g>\n";
  }
  svg += "</svg>\n<p>";
  for (std::size_t kind = 0; kind < names.size(); ++kind) {
    if (!names.at(kind).empty()) svg += swatch(kPhaseColours.at(kind), names.at(kind));
  }
  return svg + fmt::format("Step {}, {} from edge to edge; pale: waiting for others. {}</p>\n",
                           job.shown_step, duration(static_cast<double>(end_ns - begin_ns)),
                           left_out_text(job, drawn.size()));
}

using analysis::JobFacts;
using analysis::RankFacts;

constexpr std::string_view kStyle = R"(
:root { color-scheme: light dark; --ink: #18202c; --muted: #546072; --rule: #dfe4ec; --ground: #fff; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6ebf3; --muted: #9aa7ba; --rule: #333d4c; --ground: #11161e; } }
body { font: 14px/1.45 system-ui, sans-serif; color: var(--ink); background: var(--ground); margin: 2rem auto; max-width: 72rem; padding: 0 1rem; }
h1 { font-size: 1.4rem; margin: 0 } h2 { font-size: 1.05rem; margin: 2rem 0 .5rem }
p, li { color: var(--muted); margin: .3rem 0 } li { color: var(--ink) } ul { padding-left: 1.2rem }
.wide { overflow-x: auto }
table { border-collapse: collapse; font-variant-numeric: tabular-nums }
th, td { padding: .25rem .9rem .25rem 0; text-align: right; border-bottom: 1px solid var(--rule); white-space: nowrap }
th.text, td.text { text-align: left } a { color: inherit }
svg text { font: 11px system-ui, sans-serif; fill: var(--ink) }
.key { margin-right: .8rem } .key i { display: inline-block; width: .8em; height: .8em; margin-right: .35em }
.lost { color: #a3202f; font-weight: 600 } @media (prefers-color-scheme: dark) { .lost { color: #ff8a94 } }
)";

std::string page_section(std::string_view heading, const std::string& html) {
  return html.empty() ? "" : fmt::format("<h2>{}</h2>\n{}", heading, html);
}

std::string finding_list(const std::vector<std::string>& sentences, std::string_view kind = "") {
  if (sentences.empty()) return {};
  std::string html = "<ul>\n";
  for (const std::string& sentence : sentences)
    html += fmt::format("<li{}>{}</li>\n", kind.empty() ? "" : fmt::format(" class=\"{}\"", kind),
                        html_text(sentence));
  return html + "</ul>\n";
}

std::string ranks_page_row(const JobFacts& job, std::size_t index) {
  const RankFacts& rank = job.ranks[index];
  const auto amount = [](std::uint64_t bytes) { return mebibytes(static_cast<double>(bytes), 3); };
  std::string html = fmt::format(
      "<tr><td class=\"text\"><a href=\"{}report.html\">rank {}</a></td><td class=\"text\">{}</td>"
      "<td class=\"text\">{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td>",
      rank.rank == 0 ? "" : fmt::format("rank{}/", rank.rank), rank.rank, html_text(rank.clock.hostname),
      html_text(rank.device), to_string(rank.end), amount(rank.peak_allocated_bytes),
      amount(rank.peak_reserved_bytes), rank.median_step_ns ? duration(*rank.median_step_ns) : "–",
      rank.is_dry ? "–" : duration(static_cast<double>(job.stragglers.waits_ns[index])));
  for (const std::uint64_t bytes : rank.peak_categories) html += fmt::format("<td>{}</td>", amount(bytes));
  return html + "</tr>\n";
}

std::string ranks_page_table(const JobFacts& job) {
  std::string html =
      "<div class=\"wide\"><table><thead><tr><th class=\"text\">rank</th><th class=\"text\">machine</th>"
      "<th class=\"text\">device</th><th>ended</th><th>peak allocated</th><th>reserved</th>"
      "<th>median step</th><th>waits</th>";
  for (std::size_t category = 0; category < analysis::kCategories; ++category)
    html += fmt::format("<th>{}</th>", to_string(static_cast<analysis::Category>(category)));
  html += "</tr></thead><tbody>\n";
  for (std::size_t rank = 0; rank < job.ranks.size(); ++rank) html += ranks_page_row(job, rank);
  return html +
         "</tbody></table></div>\n<p>MiB (2^20 bytes); categories at the rank's own peak. Waits: of a "
         "step, for other ranks, as far as phases show it.</p>\n";
}

}  // namespace

std::string ranks_page(const JobFacts& job) {
  const std::string title = fmt::format("{}: {}", job.ranks.front().name, job_size(job));
  return fmt::format(
             "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
             "content=\"width=device-width\"><title>{0}</title><style>{1}</style></head><body>\n<h1>{0}</"
             "h1>\n",
             html_text(title), kStyle) +
         finding_list(lost_sentences(job), "lost") +
         page_section("Who is slow", finding_list(straggler_sentences(job))) + slowness_picture(job) +
         page_section("One step, all ranks", step_picture(job)) +
         page_section("How memory differs", finding_list(imbalance_sentences(job))) +
         category_bars_picture(job) + page_section("Ranks", ranks_page_table(job)) +
         page_section("Clocks", finding_list(clock_sentences(job))) + "</body></html>\n";
}

}  // namespace strata::report
