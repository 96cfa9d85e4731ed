// SPDX-License-Identifier: Apache-2.0
#include "host/report/ranks/rank_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "host/report/quantity.hpp"
#include "host/report/ranks/rank_choice.hpp"
#include "host/report/text.hpp"

namespace strata::report {
namespace {

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
  if (rank.end == "done") return row + '\n';
  return style.alarming(row) + '\n' +
         style.alarming(
             wrapped(fmt::format("rank {}: its run ended as '{}'", rank.rank, rank.end), 8, style.width));
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

}  // namespace

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

}  // namespace strata::report
