// SPDX-License-Identifier: Apache-2.0
#include "host/report/terminal/tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <vector>

#include "host/analysis/facts/facts.hpp"
#include "host/analysis/peak/alike_blocks.hpp"
#include "host/analysis/peak/largest_blocks.hpp"
#include "host/analysis/stacks/stack_view.hpp"
#include "host/report/form_text.hpp"
#include "host/report/kind_meanings.hpp"
#include "host/report/quantity.hpp"
#include "host/report/terminal/stack_lines.hpp"
#include "host/report/terminal_style.hpp"
#include "host/report/text.hpp"

namespace strata::report {
namespace {

using analysis::Block;
using analysis::Facts;

constexpr int kWhatColumns = 26, kBelowColumns = 12;

std::string born_text(const Facts& facts, const Block& block) {
  if (block.phase == 0) return {};
  const analysis::PhaseFact& phase = facts.phases.at(block.phase - 1);
  return phase.step < 0 ? "born in " + phase.name
                        : fmt::format("born in step {}, {}", phase.step, phase.name);
}

std::string lived_text(const Block& block) {
  if (block.death_sequence == UINT64_MAX) return "lived to the end";
  return "lived " + duration(static_cast<double>(block.death_ns - block.birth_ns));
}

// For the first block of a group: its properties besides size and owner.
std::string rest_of(const Facts& facts, const Block& block) {
  std::vector<std::string> parts{form_text(facts, block)};
  if (block.name != 0) parts.push_back(facts.texts.at(block.op));
  parts.push_back(facts.texts.at(block.layer));
  parts.push_back(born_text(facts, block));
  parts.push_back(lived_text(block));
  std::string text;
  for (const std::string& part : parts) {
    if (part.empty()) continue;
    text += (text.empty() ? "" : " · ") + part;
  }
  return text;
}

std::string group_lines(const Facts& facts, std::span<const std::uint32_t> group, int decimals,
                        analysis::StackView& stacks, const TerminalStyle& style) {
  const Block& block = facts.blocks.at(group.front());
  const int origin_columns = style.width - 2 - 10 - 8 - 2 - kWhatColumns - 2;
  const auto kind = fitted(kind_label(block.category, block.kind), kWhatColumns);
  auto row = fmt::format(
      "  {:>10}{:>8}  {}  {}", mebibytes(static_cast<double>(block.bytes), decimals), thousands(group.size()),
      style.in_colour_of(block.category, kind),
      shortened(printable(facts.texts.at(block.name != 0 ? block.name : block.op)), origin_columns));
  row.erase(row.find_last_not_of(' ') + 1);
  return row + '\n' + style.dimmed(wrapped(rest_of(facts, block), kBelowColumns, style.width)) +
         origin_line(stacks, facts, block.birth_sequence, kBelowColumns, style);
}

}  // namespace

std::string detail_table(const Facts& facts, const DetailTableOptions& options, bool colour, int width) {
  const TerminalStyle style{colour, std::max(width, kNarrowestTerminal)};
  const analysis::LargestBlocks largest = largest_blocks(facts, options.detail);
  if (largest.blocks.empty()) return "No allocation was recorded.\n";
  const int decimals = decimals_for(static_cast<double>(facts.total.max));
  std::string text =
      wrapped(
          fmt::format("Detail {}%: the {} largest of {} allocations, of at least {} MiB each. They are "
                      "{} of all bytes that were allocated.",
                      fmt::format("{:.4g}", options.detail * 100.0), thousands(largest.blocks.size()),
                      thousands(largest.all_blocks),
                      mebibytes(static_cast<double>(largest.least_bytes), decimals),
                      percentage(static_cast<double>(largest.bytes), static_cast<double>(largest.all_bytes))),
          0, style.width) +
      '\n';
  text += style.heading(fmt::format("  {:>10}{:>8}  {:<{}}  {}", "MiB each", "blocks", "what", kWhatColumns,
                                    "tensor or op")) +
          '\n';
  const auto groups = alike_blocks(facts, largest.blocks);
  const std::size_t listed = std::min(groups.size(), options.rows);
  analysis::StackView stacks(facts.call_stacks);
  for (std::size_t at = 0; at < listed; ++at) text += group_lines(facts, groups[at], decimals, stacks, style);
  if (listed < groups.size())
    text += style.dimmed(wrapped(fmt::format("{} more rows: --top {}, or --json for each allocation.",
                                             thousands(groups.size() - listed), groups.size()),
                                 2, style.width));
  return text +
         style.dimmed(wrapped("Blocks of one size and origin are one row, which tells of the first born.", 2,
                              style.width));
}

}  // namespace strata::report
