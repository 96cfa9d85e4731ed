// SPDX-License-Identifier: Apache-2.0
#include "host/report/ranks/rank_report.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "host/analysis/ranks/job_facts.hpp"
#include "host/report/quantity.hpp"
#include "host/report/ranks/rank_choice.hpp"
#include "host/report/ranks/rank_findings.hpp"
#include "host/report/terminal_style.hpp"
#include "host/report/text.hpp"

namespace strata::report {
namespace {

// Tables of ranks for a terminal. Each function returns whole lines of at most the style's width.

using analysis::Category;
using analysis::JobFacts;
using analysis::RankFacts;

constexpr std::size_t kMostColumns = 5;
constexpr int kMachineColumns = 14;

int peak_decimals(const JobFacts& job) {
  return decimals_for(static_cast<double>(job.ranks[job.imbalance.heaviest].peak_allocated_bytes));
}

std::string median_step_text(const RankFacts& rank) {
  return rank.median_step_ns ? duration(*rank.median_step_ns) : "–";
}

std::string rank_row(const JobFacts& job, std::size_t index, int decimals, const TerminalStyle& style) {
  const RankFacts& rank = job.ranks[index];
  const auto amount = [&](std::uint64_t bytes) { return mebibytes(static_cast<double>(bytes), decimals); };
  // Counted in columns: a long dash is one.
  const auto right = [](const std::string& text, int width) {
    return std::string(static_cast<std::size_t>(std::max(0, width - columns(text))), ' ') + text;
  };
  std::string row = fmt::format(
      "{:>6}  {}{}{}{}{}{}", rank.rank, fitted(printable(rank.clock.hostname), kMachineColumns),
      right(amount(rank.peak_allocated_bytes), 11), right(amount(rank.peak_reserved_bytes), 11),
      right(percentage(static_cast<double>(rank.most_unknown_bytes),
                       static_cast<double>(rank.peak_allocated_bytes)),
            9),
      right(median_step_text(rank), 13),
      right(rank.is_dry ? "–" : duration(static_cast<double>(job.stragglers.waits_ns[index])), 12));
  if (rank.end == analysis::RunEnd::kDone) return row + '\n';
  return style.alarming(row) + '\n' +
         style.alarming(wrapped(fmt::format("rank {}: its run ended as '{}'", rank.rank, to_string(rank.end)),
                                8, style.width));
}

std::string others_line(const JobFacts& job, const std::vector<std::size_t>& shown, int decimals,
                        const TerminalStyle& style) {
  if (shown.size() == job.ranks.size()) return {};
  std::uint64_t least = UINT64_MAX, most = 0;
  std::optional<double> shortest, longest;
  for (std::size_t rank = 0; rank < job.ranks.size(); ++rank) {
    if (std::ranges::binary_search(shown, rank)) continue;
    least = std::min(least, job.ranks[rank].peak_allocated_bytes);
    most = std::max(most, job.ranks[rank].peak_allocated_bytes);
    const auto& step = job.ranks[rank].median_step_ns;
    if (!step) continue;
    shortest = std::min(shortest.value_or(*step), *step);
    longest = std::max(longest.value_or(*step), *step);
  }
  const auto from_to = [](const std::string& low, const std::string& high) {
    return low == high ? low : low + " to " + high;
  };
  std::string text = fmt::format(
      "and {}: {} MiB allocated",
      counted(job.ranks.size() - shown.size(), "rank that does not stand out", "ranks that do not stand out"),
      from_to(mebibytes(static_cast<double>(least), decimals),
              mebibytes(static_cast<double>(most), decimals)));
  if (shortest) text += fmt::format(", {} a step", from_to(duration(*shortest), duration(*longest)));
  return wrapped(text, 8, style.width);
}

struct CategoryColumn {
  std::string heading;
  analysis::CategoryBytes bytes{};
};

std::vector<CategoryColumn> category_columns(const JobFacts& job) {
  std::vector<CategoryColumn> columns;
  if (job.ranks.size() <= kMostColumns) {
    for (const RankFacts& rank : job.ranks)
      columns.push_back({fmt::format("rank {}", rank.rank), rank.peak_categories});
    return columns;
  }
  columns = {{"least", {}}, {"median", {}}, {"most", {}}};
  for (std::size_t category = 0; category < analysis::kCategories; ++category) {
    std::vector<std::uint64_t> bytes;
    for (const RankFacts& rank : job.ranks) bytes.push_back(rank.peak_categories.at(category));
    std::ranges::sort(bytes);
    columns[0].bytes.at(category) = bytes.front();
    columns[1].bytes.at(category) = bytes[(bytes.size() - 1) / 2];
    columns[2].bytes.at(category) = bytes.back();
  }
  return columns;
}

// The rank with the most of a category, if they differ.
std::string most_of(const JobFacts& job, std::size_t category) {
  const auto bytes = [&](const RankFacts& rank) { return rank.peak_categories.at(category); };
  const RankFacts& most = std::ranges::max(job.ranks, {}, bytes);
  if (bytes(std::ranges::min(job.ranks, {}, bytes)) == bytes(most)) return "  alike in all";
  const auto as_much = std::ranges::count(job.ranks, bytes(most), bytes);
  return as_much > 1 ? fmt::format("  rank {} and {} more", most.rank, as_much - 1)
                     : fmt::format("  rank {}", most.rank);
}

// One row per rank: its peak, its steps, and its waiting time. If there are many ranks, only the notable
// ones, and a line for the others.
std::string rank_table(const JobFacts& job, const TerminalStyle& style) {
  const int decimals = peak_decimals(job);
  const std::vector<std::size_t> shown = shown_ranks(job);
  std::string text = style.heading(fmt::format("{:>6}  {:<{}}{:>11}{:>11}{:>9}{:>13}{:>12}", "rank",
                                               "machine", kMachineColumns, "allocated", "reserved", "Unknown",
                                               "median step", "waits")) +
                     '\n';
  for (const std::size_t rank : shown) text += rank_row(job, rank, decimals, style);
  text += others_line(job, shown, decimals, style);
  return text +
         style.dimmed(wrapped(
             "Peaks in MiB; Unknown: the most there was, of the peak. Waits: of a step, for other ranks, "
             "as far as phases show it.",
             2, style.width));
}

// The categories of each rank's own peak. If there are more than five ranks, the minimum, median and maximum.
std::string rank_categories(const JobFacts& job, const TerminalStyle& style) {
  const int decimals = peak_decimals(job);
  const std::vector<CategoryColumn> columns = category_columns(job);
  const bool is_folded = job.ranks.size() > kMostColumns;
  std::string head = fmt::format("  {:<16}", "at its peak");
  for (const CategoryColumn& column : columns) head += fmt::format("{:>12}", column.heading);
  std::string text = style.heading(head + (is_folded ? "  most in" : "")) + '\n';
  for (std::size_t category = 0; category < analysis::kCategories; ++category) {
    const auto has_any = [&](const CategoryColumn& column) { return column.bytes.at(category) > 0; };
    if (std::ranges::none_of(columns, has_any)) continue;
    const auto which = static_cast<Category>(category);
    text += "  " + style.in_colour_of(which, fmt::format("{:<16}", to_string(which)));
    for (const CategoryColumn& column : columns)
      text += fmt::format("{:>12}", mebibytes(static_cast<double>(column.bytes.at(category)), decimals));
    text += (is_folded ? most_of(job, category) : "") + '\n';
  }
  return text;
}

// One step of all ranks on a common clock, drawn with letters.

using analysis::JobFacts;
using analysis::RankPhase;
using analysis::RankStep;

constexpr int kRankColumns = 8;

struct DrawnStep {
  std::size_t rank = 0;
  const RankStep* step = nullptr;
};

std::vector<DrawnStep> steps_to_draw(const JobFacts& job) {
  std::vector<DrawnStep> drawn;
  for (const std::size_t rank : shown_ranks(job)) {
    const auto& steps = job.ranks[rank].steps;
    const auto found = std::ranges::find(steps, job.shown_step, &RankStep::index);
    if (found != steps.end()) drawn.push_back({rank, &*found});
  }
  return drawn;
}

// Names of phases and the letters they are drawn with: their first one that is free.
class Letters {
 public:
  char of(const std::string& name) {
    const auto known = letters_.find(name);
    if (known != letters_.end()) return known->second;
    return letters_[name] = free_one(name);
  }

  std::string legend() const {
    std::string text;
    for (const auto& [name, letter] : letters_) text += fmt::format("{} {}  ", letter, printable(name));
    return text;
  }

 private:
  char free_one(const std::string& name) const {
    for (const std::string& candidates : {name, std::string("abcdefghijklmnopqrstuvwxyz0123456789")}) {
      for (const char letter : candidates) {
        const bool fits = (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
                          (letter >= '0' && letter <= '9');
        const auto taken = [&](const auto& entry) { return entry.second == letter; };
        if (fits && std::ranges::none_of(letters_, taken)) return letter;
      }
    }
    return '#';
  }

  std::map<std::string, char> letters_;
};

// One row per shown rank (rank_choice.hpp), one letter per phase, dots for waiting; empty if no step has two
// ranks.
std::string rank_timeline(const JobFacts& job, const TerminalStyle& style) {
  const std::vector<DrawnStep> drawn = steps_to_draw(job);
  if (drawn.empty()) return {};
  std::int64_t begin_ns = INT64_MAX, end_ns = INT64_MIN;
  for (const auto& [rank, step] : drawn) {
    begin_ns = std::min(begin_ns, job.clocks.to_first(rank, step->begin_ns));
    end_ns = std::max(end_ns, job.clocks.to_first(rank, step->end_ns));
  }
  const int width = style.width - kRankColumns - 1;
  const double span_ns = std::max(1.0, static_cast<double>(end_ns - begin_ns));
  const auto column = [&](std::int64_t ns) {
    return std::clamp(static_cast<int>(static_cast<double>(ns - begin_ns) / span_ns * width), 0, width - 1);
  };
  Letters letters;
  std::string rows;
  for (const auto& [rank, step] : drawn) {
    std::string row(static_cast<std::size_t>(width), ' ');
    const auto fill = [&, rank = rank](std::int64_t from_ns, std::int64_t to_ns, char letter) {
      const int from = column(job.clocks.to_first(rank, from_ns));
      const int to = std::max(from + 1, column(job.clocks.to_first(rank, to_ns)));
      std::fill(row.begin() + from, row.begin() + std::min(to, width), letter);
    };
    fill(step->begin_ns, step->end_ns, '-');
    if (step->wait) fill(step->wait->begin_ns, step->wait->end_ns, '.');
    for (const RankPhase& phase : step->phases) {
      fill(phase.begin_ns, phase.end_ns, letters.of(job.ranks[rank].names[phase.name]));
      if (phase.waited_ns > 0) fill(phase.end_ns - phase.waited_ns, phase.end_ns, '.');
    }
    rows += fmt::format("{:>6}  {}\n", job.ranks[rank].rank, row.substr(0, row.find_last_not_of(' ') + 1));
  }
  return style.heading(fmt::format("Step {} of all ranks on one clock, {} from edge to edge", job.shown_step,
                                   duration(span_ns))) +
         '\n' + rows +
         style.dimmed(wrapped(letters.legend() + ". waits for others  - in no phase", 2, style.width));
}

std::string finding_section(std::string_view heading, const std::vector<std::string>& sentences,
                            const TerminalStyle& style) {
  if (sentences.empty()) return {};
  std::string text = '\n' + style.heading(heading) + '\n';
  for (const std::string& sentence : sentences) text += wrapped(sentence, 2, style.width);
  return text;
}

}  // namespace

std::string rank_report(const analysis::JobFacts& job, bool colour, int width) {
  const TerminalStyle style{colour, std::max(width, kNarrowestTerminal)};
  std::string text = style.heading("Ranks: " + job_size(job)) + '\n' + rank_table(job, style);
  for (const std::string& sentence : lost_sentences(job))
    text += style.alarming(wrapped(sentence, 2, style.width));
  text += '\n' + rank_categories(job, style);
  text += finding_section("Who is slow", straggler_sentences(job), style);
  text += finding_section("How memory differs", imbalance_sentences(job), style);
  text += finding_section("Clocks", clock_sentences(job), style);
  if (const std::string timeline = rank_timeline(job, style); !timeline.empty()) text += '\n' + timeline;
  return text;
}

}  // namespace strata::report
