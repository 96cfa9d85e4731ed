// SPDX-License-Identifier: Apache-2.0
#include "host/report/terminal/layer_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "host/analysis/facts/memory_facts.hpp"
#include "host/report/layer_rows.hpp"
#include "host/report/quantity.hpp"
#include "host/report/terminal_style.hpp"
#include "host/report/text.hpp"
#include "host/report/words/unrecorded_modules.hpp"

namespace strata::report {
namespace {

using analysis::Category;
using analysis::LayerTree;
using analysis::MemoryFacts;
using analysis::sum;

constexpr std::size_t kShortTableRows = 14;
constexpr int kWidthWithMeans = 100;

struct Heading {
  const char *above, *below;
};
constexpr std::array<Heading, analysis::kCategories> kCategoryHeadings{{{"", "Parameter"},
                                                                        {"Optimizer", "State"},
                                                                        {"", "Input"},
                                                                        {"", "Temporary"},
                                                                        {"", "Activation"},
                                                                        {"", "Gradient"},
                                                                        {"Autograd", "Detail"},
                                                                        {"", "Unknown"}}};

std::string indented(const LayerRow& row) {
  return std::string(2 * static_cast<std::size_t>(row.depth), ' ') + printable(row.label);
}

// "31.9", or "31.9 to 40.2" if modules folded into one row differ.
std::string each(const LayerRow& row, int decimals) {
  if (row.kind != LayerRow::Kind::kNode || row.node->members == 1) return {};
  const std::string smallest = mebibytes(static_cast<double>(row.node->smallest_bytes), decimals);
  const std::string largest = mebibytes(static_cast<double>(row.node->largest_bytes), decimals);
  return smallest == largest ? largest : smallest + " to " + largest;
}

// The categories that have a column; the last of all is that of the others, if some are left.
struct CategoryColumns {
  std::vector<Category> categories;
  bool has_others = false;
};

CategoryColumns columns_within(const LayerTree& tree, int width, int column) {
  const auto& root = tree.nodes.front();
  std::vector<Category> filled;
  for (std::size_t category = 0; category < analysis::kCategories; ++category)
    if (root.total[category] > 0) filled.push_back(static_cast<Category>(category));
  std::ranges::stable_sort(filled, std::greater{},
                           [&](Category category) { return root.total[static_cast<std::size_t>(category)]; });
  const auto room = static_cast<std::size_t>(std::max(0, width / column));
  if (filled.size() <= room) {
    std::ranges::sort(filled);
    return {filled, false};
  }
  filled.resize(room > 0 ? room - 1 : 0);
  std::ranges::sort(filled);
  return {filled, room > 0};
}

class Table {
 public:
  Table(const LayerTree& tree, const TerminalStyle& style)
      : tree_(tree),
        style_(style),
        decimals_(decimals_for(static_cast<double>(tree.nodes.front().most_bytes))) {
    const auto largest = mebibytes(static_cast<double>(tree.nodes.front().most_bytes), decimals_).size();
    column_ = std::max<int>(11, static_cast<int>(largest) + 2);
    amount_ = std::max<int>(8, static_cast<int>(largest) + 2);
    has_means_ = style.width >= kWidthWithMeans;
    const int fixed = 2 + (has_means_ ? 3 : 2) * amount_ + kShare;
    fixed_ = fixed;
    columns_ = columns_within(tree, style.width - fixed - kNarrowestName, column_);
    const int taken = fixed + column_ * static_cast<int>(columns_.categories.size() + columns_.has_others);
    name_ = std::min(style.width - taken, kWidestName);
  }

  std::string headings() const {
    std::string above = std::string(static_cast<std::size_t>(fixed_ + name_), ' ');
    std::string below = fmt::format("  {:<{}}{:>{}}{:>{}}{:>{}}", "module", name_, "MiB", amount_, "share",
                                    kShare, "most", amount_);
    if (has_means_) below += fmt::format("{:>{}}", "mean", amount_);
    for (const Category category : columns_.categories) {
      const Heading& heading = kCategoryHeadings.at(static_cast<std::size_t>(category));
      above += fmt::format("{:>{}}", heading.above, column_);
      below += fmt::format("{:>{}}", heading.below, column_);
    }
    if (columns_.has_others) below += fmt::format("{:>{}}", "others", column_);
    above.erase(above.find_last_not_of(' ') + 1);
    return (above.empty() ? "" : style_.heading(above) + '\n') + style_.heading(below) + '\n';
  }

  std::string row(const LayerRow& row) const {
    const bool is_itself = row.kind == LayerRow::Kind::kItself;
    const auto& bytes = is_itself ? row.node->self : row.node->total;
    const double whole = static_cast<double>(sum(tree_.nodes.front().total));
    std::string text = fmt::format("  {}{:>{}}{:>{}}", fitted(indented(row), name_), amount(sum(bytes)),
                                   amount_, percentage(static_cast<double>(sum(bytes)), whole), kShare);
    text += fmt::format("{:>{}}", is_itself ? "" : amount(row.node->most_bytes), amount_);
    if (has_means_) {
      text +=
          fmt::format("{:>{}}", is_itself ? "" : mebibytes(row.node->mean_over_events, decimals_), amount_);
    }
    std::uint64_t others = sum(bytes);
    for (const Category category : columns_.categories) {
      const std::uint64_t part = bytes[static_cast<std::size_t>(category)];
      others -= part;
      text += cell(part, category);
    }
    if (columns_.has_others) text += fmt::format("{:>{}}", others == 0 ? "" : amount(others), column_);
    text.erase(text.find_last_not_of(' ') + 1);
    return text + '\n';
  }

 private:
  static constexpr int kShare = 8;
  static constexpr int kWidestName = 48;

  std::string amount(std::uint64_t bytes) const { return mebibytes(static_cast<double>(bytes), decimals_); }

  std::string cell(std::uint64_t bytes, Category category) const {
    if (bytes == 0) return std::string(static_cast<std::size_t>(column_), ' ');
    return style_.in_colour_of(category, fmt::format("{:>{}}", amount(bytes), column_));
  }

  const LayerTree& tree_;
  const TerminalStyle& style_;
  int decimals_;
  bool has_means_ = false;
  int column_ = 0, amount_ = 0, name_ = 0, fixed_ = 0;
  CategoryColumns columns_;
};

std::string when(const LayerTree& tree) {
  return tree.interval.step < 0 ? std::string("the window") : fmt::format("step {}", tree.interval.step);
}

std::string layer_lines(std::string_view heading, const LayerTree& tree, const std::vector<LayerRow>& rows,
                        const TerminalStyle& style) {
  if (rows.empty()) return {};
  const std::uint64_t whole = sum(tree.nodes.front().total);
  const int decimals = decimals_for(static_cast<double>(whole));
  int each_columns = 0;
  for (const LayerRow& row : rows)
    each_columns = std::max(each_columns, static_cast<int>(each(row, decimals).size()));
  const bool has_alike = each_columns > 0;
  each_columns = std::max(each_columns, 6) + 2;
  const int bar_columns = (style.width - 32) / 4;
  const int name_columns = style.width - 2 - 2 - bar_columns - 10 - 8 - each_columns;
  std::string headings =
      fmt::format("{:<{}}{:>10}{:>8}", heading, name_columns + 4 + bar_columns, "MiB", "share");
  if (has_alike) headings += fmt::format("{:>{}}", "each", each_columns);
  std::string text = style.heading(headings) + '\n';
  for (const LayerRow& row : rows) {
    auto line = fmt::format("  {}  {}{:>10}{:>8}{:>{}}", fitted(indented(row), name_columns),
                            style.dimmed(bar(row.bytes, whole, bar_columns)),
                            mebibytes(static_cast<double>(row.bytes), decimals),
                            percentage(static_cast<double>(row.bytes), static_cast<double>(whole)),
                            each(row, decimals), each_columns);
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  }
  return text;
}

}  // namespace

LayerTree layer_tree_at(const MemoryFacts& facts, const analysis::Peak& moment) {
  if (facts.blocks.empty()) return {};
  return folded_layer_tree(facts, moment.sequence, interval_of(facts, moment.step));
}

std::string largest_layers(std::string_view heading, const LayerTree& tree, std::size_t rows,
                           const TerminalStyle& style) {
  if (tree.nodes.empty()) return {};
  return layer_lines(heading, tree, largest_layer_rows(tree, rows), style);
}

std::string short_layer_table(std::string_view heading, const MemoryFacts& facts,
                              const analysis::Peak& moment, const TerminalStyle& style) {
  const LayerTree tree = layer_tree_at(facts, moment);
  if (tree.nodes.empty()) return {};
  const std::vector<LayerRow> rows = largest_layer_rows(tree, kShortTableRows);
  if (rows.empty()) return {};
  std::string text = layer_lines(heading, tree, rows, style);
  const auto is_shown = [&](std::string_view name) {
    return std::ranges::any_of(rows, [&](const LayerRow& row) { return indented(row).ends_with(name); });
  };
  const bool has_forward = is_shown("(forward)");
  const std::string_view how = how_to_record_modules(facts);
  if (!how.empty() && (has_forward || is_shown("(no phase)"))) {
    text += wrapped(fmt::format("to know which {}: {}",
                                has_forward ? "module (forward) is of, and what checkpointing it would spare"
                                            : "modules made what is in no phase",
                                how),
                    2, style.width);
  }
  return text;
}

std::string layer_table(const MemoryFacts& facts, const LayerTableOptions& options, bool colour, int width) {
  const TerminalStyle style{colour, std::max(width, kNarrowestTerminal)};
  const auto step = std::ranges::find(facts.steps, options.step.value_or(-1), &analysis::StepFact::index);
  const bool of_step = options.step && step != facts.steps.end();
  const std::uint64_t sequence = of_step ? step->peak_sequence : facts.peak.sequence;
  const analysis::RunInterval interval =
      analysis::interval_of(facts, of_step ? step->index : facts.peak.step);
  const LayerTree tree =
      options.unfold ? layer_tree(facts, sequence, interval) : folded_layer_tree(facts, sequence, interval);
  const Table table(tree, style);
  const auto& root = tree.nodes.front();
  const auto allocated = static_cast<double>(sum(root.total));
  std::string text = style.heading(fmt::format("Modules at the peak of {}: {} MiB", when(tree),
                                               mebibytes(allocated, decimals_for(allocated))));
  text += "\n\n" + table.headings() + table.row({LayerRow::Kind::kNode, "all", 0, sum(root.total), &root});
  for (const LayerRow& row : all_layer_rows(tree, options.depth.value_or(UINT32_MAX))) text += table.row(row);
  text += '\n';
  std::string notes =
      "Each row with all below it; (itself) is without. In parentheses: what is of no module, by its kind or "
      "the phase it was born in. ";
  if (style.width >= kWidthWithMeans) {
    notes +=
        fmt::format("Most and mean: what the row holds at most in {}, and on average over its ", when(tree));
    notes += "allocations and frees.";
  } else {
    notes +=
        fmt::format("Most: what the row holds at most in {}. A wider terminal has more columns.", when(tree));
  }
  if (!options.unfold) notes += " [a-b]: modules alike, all of them together; --unfold has each.";
  return text + wrapped(notes, 2, style.width);
}

}  // namespace strata::report
