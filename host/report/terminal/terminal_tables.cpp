// SPDX-License-Identifier: Apache-2.0
#include "host/report/terminal/terminal_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <span>
#include <string_view>

#include "host/analysis/facts/facts.hpp"
#include "host/report/form_text.hpp"
#include "host/report/kind_meanings.hpp"
#include "host/report/peak_context.hpp"
#include "host/report/quantity.hpp"
#include "host/report/terminal/stack_lines.hpp"
#include "host/report/text.hpp"
#include "host/report/words/snapshot_words.hpp"

namespace strata::report {
namespace {

using analysis::Category;
using analysis::CategoryStatistics;
using analysis::Facts;

constexpr std::size_t kListed = 8;

struct Statistic {
  const char* name;
  double (*value)(const CategoryStatistics&);
};

constexpr std::array kStatistics{
    Statistic{"event mean", [](const CategoryStatistics& s) { return s.mean_over_events; }},
    Statistic{"time mean", [](const CategoryStatistics& s) { return s.mean_over_time; }},
    Statistic{"min", [](const CategoryStatistics& s) { return static_cast<double>(s.min); }},
    Statistic{"median", [](const CategoryStatistics& s) { return static_cast<double>(s.median); }},
    Statistic{"max", [](const CategoryStatistics& s) { return static_cast<double>(s.max); }}};

struct Row {
  std::string name;
  const CategoryStatistics* statistics;
};

std::vector<Row> category_rows(const Facts& facts) {
  std::vector<Row> rows;
  for (std::size_t i = 0; i < analysis::kCategories; ++i) {
    rows.push_back({to_string(static_cast<Category>(i)), &facts.statistics[i]});
  }
  rows.push_back({"Total", &facts.total});
  return rows;
}

// As in published tables: one column per category, one row per statistic.
std::string categories_as_columns(const std::vector<Row>& rows, int decimals) {
  const auto width = [](const Row& row) { return std::max<std::size_t>(row.name.size(), 9) + 2; };
  std::string text = fmt::format("  {:<10}", "");
  for (const auto& row : rows) text += fmt::format("{:>{}}", row.name, width(row));
  text += '\n';
  for (const auto& statistic : kStatistics) {
    text += fmt::format("  {:<10}", statistic.name);
    for (const auto& row : rows) {
      text += fmt::format("{:>{}}", mebibytes(statistic.value(*row.statistics), decimals), width(row));
    }
    text += '\n';
  }
  return text;
}

std::string categories_as_rows(const std::vector<Row>& rows, int decimals, const TerminalStyle& style) {
  std::string text = fmt::format("  {:<15}", "");
  for (const auto& statistic : kStatistics) text += fmt::format("{:>12}", statistic.name);
  text += '\n';
  for (const auto& row : rows) {
    auto line = fmt::format("  {:<15}", row.name);
    for (const auto& statistic : kStatistics) {
      line += fmt::format("{:>12}", mebibytes(statistic.value(*row.statistics), decimals));
    }
    text += (&row == &rows.back() ? style.heading(line) : line) + '\n';
  }
  return text;
}

}  // namespace

std::string category_table(const Facts& facts, const TerminalStyle& style) {
  constexpr int kWidthAsColumns = 124;
  const int decimals = decimals_for(static_cast<double>(facts.total.max));
  std::string text = style.heading(fmt::format("Memory by category in MiB (2^20 bytes), over steps {} to {}",
                                               facts.first_step, facts.last_step));
  text += '\n';
  const auto rows = category_rows(facts);
  text += style.width >= kWidthAsColumns ? categories_as_columns(rows, decimals)
                                         : categories_as_rows(rows, decimals, style);
  return text + style.dimmed("  Event mean: over allocations and frees. Time mean: over wall time.") + '\n';
}

std::string category_bars(const analysis::Peak& peak, const TerminalStyle& style) {
  const auto allocated = static_cast<double>(peak.allocated_bytes);
  const int decimals = decimals_for(allocated);
  const int bar_columns = style.width - 2 - 15 - 2 - 12 - 8;
  std::string text;
  for (std::size_t i = 0; i < analysis::kCategories; ++i) {
    const auto category = static_cast<Category>(i);
    const auto bytes = peak.categories[i];
    if (bytes == 0 && category != Category::kUnknown) continue;
    text += fmt::format("  {:<15}  {}{:>12}{:>8}\n", to_string(category),
                        style.in_colour_of(category, bar(bytes, peak.allocated_bytes, bar_columns)),
                        mebibytes(static_cast<double>(bytes), decimals),
                        percentage(static_cast<double>(bytes), allocated));
  }
  return text;
}

std::string largest_categories(const analysis::Peak& peak, const TerminalStyle& style) {
  constexpr std::uint64_t kSmallPart = 200;
  std::vector<Category> shown;
  std::uint64_t rest = 0, smaller = 0;
  for (std::size_t i = 0; i < analysis::kCategories; ++i) {
    const std::uint64_t bytes = peak.categories[i];
    if (static_cast<Category>(i) == Category::kUnknown || bytes == 0) continue;
    if (bytes * kSmallPart >= peak.allocated_bytes) {
      shown.push_back(static_cast<Category>(i));
    } else {
      rest += bytes;
      ++smaller;
    }
  }
  std::ranges::stable_sort(shown, std::greater{}, [&](Category category) {
    return peak.categories[static_cast<std::size_t>(category)];
  });
  const auto allocated = static_cast<double>(peak.allocated_bytes);
  const int decimals = decimals_for(allocated);
  const int bar_columns = style.width - 2 - 15 - 2 - 12 - 8;
  std::string text;
  const auto row = [&](std::string_view name, std::uint64_t bytes, const std::string& drawn) {
    text +=
        fmt::format("  {:<15}  {}{:>12}{:>8}\n", name, drawn, mebibytes(static_cast<double>(bytes), decimals),
                    percentage(static_cast<double>(bytes), allocated));
  };
  const auto drawn = [&](std::uint64_t bytes) { return bar(bytes, peak.allocated_bytes, bar_columns); };
  shown.push_back(Category::kUnknown);
  for (const Category category : shown) {
    if (category == Category::kUnknown && smaller > 0)
      row(fmt::format("{} smaller", smaller), rest, style.dimmed(drawn(rest)));
    const std::uint64_t bytes = peak.categories[static_cast<std::size_t>(category)];
    row(to_string(category), bytes, style.in_colour_of(category, drawn(bytes)));
  }
  return text;
}

std::string share_table(std::string_view heading, const std::vector<analysis::PeakShare>& shares,
                        std::uint64_t allocated_bytes, const TerminalStyle& style) {
  if (shares.empty()) return {};
  const int decimals = decimals_for(static_cast<double>(allocated_bytes));
  const int bar_columns = (style.width - 32) / 3;
  const int label_columns = style.width - 2 - 2 - bar_columns - 10 - 8 - 10;
  std::string text = style.heading(fmt::format("{:<{}}{:>10}{:>8}{:>10}", heading,
                                               label_columns + 4 + bar_columns, "MiB", "share", "blocks"));
  text += '\n';
  const auto line = [&](std::string_view label, std::uint64_t bytes, std::uint64_t blocks) {
    const auto amount = static_cast<double>(bytes);
    text +=
        fmt::format("  {}  {}{:>10}{:>8}{:>10}\n", fitted(label, label_columns),
                    style.dimmed(bar(bytes, shares.front().bytes, bar_columns)), mebibytes(amount, decimals),
                    percentage(amount, static_cast<double>(allocated_bytes)), thousands(blocks));
  };
  for (const auto& share : std::span(shares).first(std::min(shares.size(), kListed))) {
    line(share.label.empty() ? "(none)" : share.label, share.bytes, share.blocks);
  }
  if (shares.size() > kListed) {
    analysis::PeakShare rest;
    for (const auto& share : std::span(shares).subspan(kListed)) {
      rest.bytes += share.bytes;
      rest.blocks += share.blocks;
    }
    line(fmt::format("{} more", shares.size() - kListed), rest.bytes, rest.blocks);
  }
  return text;
}

namespace {

// Only on a wide terminal, and if any listed block has one.
int form_columns_of(const Facts& facts, const TerminalStyle& style) {
  constexpr int kWidthWithForms = 110, kFormColumns = 24;
  const auto& indices = facts.peak.largest_blocks;
  const auto listed = std::span(indices).first(std::min(indices.size(), kListed));
  const bool any = std::ranges::any_of(
      listed, [&](std::uint32_t index) { return facts.blocks.at(index).form != analysis::kNoForm; });
  return any && style.width >= kWidthWithForms ? kFormColumns : 0;
}

std::string_view origin_of(const Facts& facts, const analysis::Block& block) {
  return facts.texts.at(block.name != 0 ? block.name : block.op);
}

// Omitted if the owner's name begins with it.
std::string_view layer_of(const Facts& facts, const analysis::Block& block) {
  const std::string_view layer = facts.texts.at(block.layer != 0 ? block.layer : block.saver);
  const bool is_said = !layer.empty() && block.name != 0 && origin_of(facts, block).starts_with(layer);
  return is_said ? std::string_view() : layer;
}

// Divides `room` columns between origins and layers: origins get as many as they need if layers fit in the
// rest.
int origin_columns_of(const Facts& facts, int room) {
  constexpr int kLayerHeading = 5;
  int origins = 0, layers = kLayerHeading;
  const auto& indices = facts.peak.largest_blocks;
  for (const auto index : std::span(indices).first(std::min(indices.size(), kListed))) {
    const auto& block = facts.blocks.at(index);
    origins = std::max(origins, columns(printable(origin_of(facts, block))));
    layers = std::max(layers, columns(printable(layer_of(facts, block))));
  }
  return std::max(room / 2, std::min(origins, room - layers));
}

}  // namespace

std::string block_table(const Facts& facts, analysis::StackView& stacks, const TerminalStyle& style) {
  const auto& indices = facts.peak.largest_blocks;
  if (indices.empty()) return {};
  const int decimals = decimals_for(static_cast<double>(facts.peak.allocated_bytes));
  const int kind_columns = 26;
  const int form_columns = form_columns_of(facts, style);
  const int room = style.width - 2 - 10 - 2 - kind_columns - 2 - 2 - form_columns;
  const int origin_columns = origin_columns_of(facts, room);
  std::string text = style.heading(fmt::format(
      "{:<2}{:>10}  {:<{}}  {:<{}}  {:<{}}{}", "", "MiB", "largest at the peak", kind_columns, "owner or op",
      origin_columns, form_columns > 0 ? "shape and dtype" : "", form_columns, "layer"));
  text += '\n';
  std::set<analysis::BlockKind> kinds;
  for (const analysis::PeakChange& change : reported_changes(facts)) kinds.insert(change.kind);
  for (const auto index : std::span(indices).first(std::min(indices.size(), kListed))) {
    const auto& block = facts.blocks.at(index);
    const auto kind =
        fitted(has_no_categories(facts) ? "block" : kind_label(block.category, block.kind), kind_columns);
    auto row =
        fmt::format("  {:>10}  {}  {}  {}{}", mebibytes(static_cast<double>(block.bytes), decimals),
                    style.in_colour_of(block.category, kind), fitted(origin_of(facts, block), origin_columns),
                    form_columns > 0 ? fitted(form_text(facts, block), form_columns - 2) + "  " : "",
                    shortened(layer_of(facts, block), room - origin_columns));
    row.erase(row.find_last_not_of(' ') + 1);
    text += row + '\n' + origin_line(stacks, facts, block.birth_sequence, 14, style);
    kinds.insert(block.kind);
  }
  if (facts.snapshot) kinds.erase(analysis::BlockKind::kUnattributed);  // nobody could say anything
  const std::string meanings = kind_meanings(kinds);
  return meanings.empty() ? text : text + style.dimmed(wrapped(meanings, 2, style.width));
}

}  // namespace strata::report
