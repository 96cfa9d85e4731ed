// SPDX-License-Identifier: Apache-2.0
#include "host/report/terminal/stack_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <vector>

#include "host/analysis/facts/facts.hpp"
#include "host/analysis/stacks/stacks_alive.hpp"
#include "host/report/kind_meanings.hpp"
#include "host/report/quantity.hpp"
#include "host/report/terminal_style.hpp"
#include "host/report/text.hpp"

namespace strata::report {
namespace {

using analysis::Facts;
using analysis::Frame;
using analysis::StacksAlive;
using analysis::StackShare;
using analysis::StackView;

std::string frame_line(const Frame& frame, int indent, const TerminalStyle& style) {
  const std::string place = printable(frame_place(frame));
  const int width = style.width - indent;
  const int name_columns = place.empty() ? width : std::max(width - columns(place) - 2, width / 2);
  std::string line(static_cast<std::size_t>(indent), ' ');
  line += shortened(frame_name(frame), name_columns);
  if (!place.empty()) line += "  " + style.dimmed(shortened(place, width - name_columns - 2));
  return line + '\n';
}

std::string share_line(const Facts& facts, const StacksAlive& alive, const StackShare& share,
                       const TerminalStyle& style) {
  const int decimals = decimals_for(static_cast<double>(alive.bytes));
  const analysis::Block& block = facts.blocks[share.largest_block];
  std::string amount = mebibytes(share.estimated_bytes, decimals);
  if (share.standard_error_bytes > 0) amount += " ±" + mebibytes(share.standard_error_bytes, decimals);
  const auto what = kind_label(block.category, block.kind);
  return fmt::format("{:>12}{:>8}{:>10}  {}\n", amount,
                     percentage(share.estimated_bytes, static_cast<double>(alive.bytes)),
                     thousands(share.blocks), style.in_colour_of(block.category, what));
}

std::string lines_of(const std::vector<Frame>& frames, std::size_t most_frames, int indent,
                     const TerminalStyle& style) {
  std::string text;
  for (const Frame& frame : std::span(frames).first(std::min(frames.size(), most_frames)))
    text += frame_line(frame, indent, style);
  if (frames.size() > most_frames)
    text += std::string(static_cast<std::size_t>(indent), ' ') +
            style.dimmed(fmt::format("and {} frames around it", frames.size() - most_frames)) + '\n';
  return text;
}

}  // namespace

std::string origin_line(StackView& view, const Facts& facts, std::uint64_t sequence, int indent,
                        const TerminalStyle& style) {
  const analysis::TakenStack* const taken = facts.call_stacks.at(sequence);
  if (taken == nullptr) return {};
  const auto origin = view.origin(taken->stack);
  return origin ? frame_line(*origin, indent, style) : std::string();
}

std::string stack_lines(StackView& view, const Facts& facts, std::uint64_t sequence, std::size_t most_frames,
                        int indent, const TerminalStyle& style) {
  const analysis::TakenStack* const taken = facts.call_stacks.at(sequence);
  return taken == nullptr ? std::string() : lines_of(view.trimmed(taken->stack), most_frames, indent, style);
}

std::string stacks_at_peak(const Facts& facts, std::size_t count, bool colour, int width) {
  const TerminalStyle style{colour, std::max(width, kNarrowestTerminal)};
  if (facts.call_stacks.empty())
    return wrapped(
        "This run took no stacks. Ask for them with the allocator_tracer's option stacks_above_mib or "
        "stacks_sample_mib (strata exec --plugins '[{allocator_tracer: {stacks_above_mib: 1}}]').",
        0, style.width);
  StackView view(facts.call_stacks);
  const StacksAlive alive = stacks_alive(facts.blocks, facts.call_stacks, facts.peak.sequence);
  const std::size_t shown = std::min(count, alive.shares.size());
  std::string text = style.heading(
      fmt::format("At the peak, by stack: the {} largest of {}", shown, thousands(alive.shares.size())));
  text += '\n' +
          style.heading(fmt::format("{:>12}{:>8}{:>10}  {}", "MiB", "share", "blocks", "its largest block")) +
          '\n';
  for (const StackShare& share : std::span(alive.shares).first(shown)) {
    text += share_line(facts, alive, share, style);
    text += lines_of(view.trimmed(share.stack), SIZE_MAX, 14, style) + '\n';
  }
  const int decimals = decimals_for(static_cast<double>(alive.bytes));
  text += wrapped(
      fmt::format("{} MiB of {}, in {} blocks, have no stack: {}.",
                  mebibytes(static_cast<double>(alive.bytes_without), decimals),
                  mebibytes(static_cast<double>(alive.bytes), decimals), thousands(alive.blocks_without),
                  facts.snapshot ? "the snapshot has none of them" : "they were not chosen to have one"),
      2, style.width);
  if (alive.sampled)
    text += wrapped(
        "Amounts with ± are estimated from those that were chosen by chance, with their standard "
        "error.",
        2, style.width);
  for (const std::string& warning : view.warnings()) text += wrapped(warning, 2, style.width);
  return text;
}

}  // namespace strata::report
