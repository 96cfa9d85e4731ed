// SPDX-License-Identifier: Apache-2.0
#include "host/report/terminal/replay_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "host/report/quantity.hpp"
#include "host/report/terminal_style.hpp"
#include "host/report/text.hpp"

namespace strata::report {
namespace {

using analysis::Replay;
using analysis::ReplayFailure;
using analysis::ReplayRow;

constexpr int kMargin = 11;

int decimals_of(const Replay& replay) {
  std::uint64_t largest = 0;
  for (const ReplayRow& row : replay.rows) largest = std::max(largest, row.numbers.peak_reserved_bytes);
  return decimals_for(static_cast<double>(largest));
}

std::string in_mebibytes(std::uint64_t bytes, int decimals) {
  return mebibytes(static_cast<double>(bytes), decimals);
}

std::string comparison_lines(const analysis::ReplayComparison& comparison, const TerminalStyle& style) {
  if (comparison.different == 0)
    return fmt::format("  checked  the first replay has the recorded sums after each of {} calls\n",
                       thousands(comparison.compared));
  auto text = "  checked  " +
              style.alarming(fmt::format("the first replay has other sums than recorded after {} of {} calls",
                                         thousands(comparison.different), thousands(comparison.compared))) +
              '\n';
  if (!comparison.first) return text;
  const auto& first = *comparison.first;
  return text +
         wrapped(
             fmt::format("first: after the event of sequence {} {} bytes allocated and {} reserved were "
                         "recorded, and {} and {} are replayed",
                         first.sequence, thousands(first.recorded_allocated_bytes),
                         thousands(first.recorded_reserved_bytes), thousands(first.replayed_allocated_bytes),
                         thousands(first.replayed_reserved_bytes)),
             kMargin, style.width);
}

std::string header(const Replay& replay, int decimals, const TerminalStyle& style) {
  const auto field = [&](std::string_view text) { return shortened(printable(text), style.width - kMargin); };
  auto text = style.heading("strata") + "   replay of " +
              field(replay.name.empty() ? "(unnamed run)" : replay.name) + '\n';
  text += "  run      " + field(replay.directory) + '\n';
  text += fmt::format("  peak     {} MiB allocated, {} reserved, as recorded in {} calls\n",
                      in_mebibytes(replay.recorded_peak_allocated_bytes, decimals),
                      in_mebibytes(replay.recorded_peak_reserved_bytes, decimals), thousands(replay.calls));
  for (const ReplayRow& row : replay.rows) {
    if (row.comparison) text += comparison_lines(*row.comparison, style);
  }
  return text;
}

std::string setting_lines(const Replay& replay, const TerminalStyle& style) {
  std::string text = style.heading("Settings") + '\n';
  for (std::size_t index = 0; index < replay.rows.size(); ++index) {
    const ReplayRow& row = replay.rows[index];
    std::string settings = row.settings.empty() ? "the defaults" : row.settings;
    if (row.follows_changes)
      settings += fmt::format(" and {} by the program",
                              counted(replay.settings_changes.size(), "later change", "later changes"));
    const std::string line = fmt::format("{}{}, on {} MiB of {}{}", index == 0 ? "as recorded: " : "",
                                         settings, in_mebibytes(row.card.memory_bytes, 0),
                                         row.card.is_recorded ? "the recorded " : "a ", row.card.name);
    auto lines = wrapped(line, 5, style.width);
    const std::string number = fmt::format("{:>3}", index + 1);
    text += lines.replace(0, number.size(), number);
  }
  return text;
}

std::string number_lines(const Replay& replay, int decimals, const TerminalStyle& style) {
  std::string text = style.heading("MiB (2^20 bytes)") + '\n';
  text += fmt::format("{:>3}{:>11}{:>11}{:>11}{:>11}{:>13}{:>9}{:>8}\n", "", "allocated", "reserved",
                      "unused", "split free", "largest free", "mallocs", "retries");
  for (std::size_t index = 0; index < replay.rows.size(); ++index) {
    const analysis::ReplayNumbers& numbers = replay.rows[index].numbers;
    const analysis::AllocatorState& state = replay.rows[index].state;
    const std::string line = fmt::format(
        "{:>3}{:>11}{:>11}{:>11}{:>11}{:>13}{:>9}{:>8}", index + 1,
        in_mebibytes(numbers.peak_allocated_bytes, decimals),
        in_mebibytes(numbers.peak_reserved_bytes, decimals),
        in_mebibytes(state.reserved_bytes - std::min(state.reserved_bytes, state.allocated_bytes), decimals),
        in_mebibytes(state.inactive_split_bytes, decimals), in_mebibytes(state.largest_free_bytes, decimals),
        thousands(numbers.device_allocations), thousands(numbers.retries));
    text += (replay.rows[index].failure ? style.alarming(line) : line) + '\n';
  }
  return text +
         style.dimmed(wrapped("allocated and reserved: the most; unused (reserved, not allocated), split "
                              "free and largest free: when the most was reserved first, or memory ran out; "
                              "mallocs: calls of cudaMalloc or cuMemMap",
                              2, style.width));
}

std::string place_text(const analysis::ReplayPlace& place) {
  std::string text = place.step >= 0 ? fmt::format("at step {}", place.step) : "outside of steps";
  if (!place.phase.empty()) text += ", " + place.phase;
  if (!place.op.empty()) text += ", " + place.op;
  if (!place.layer.empty()) text += " of " + place.layer;
  return text;
}

std::string failure_lines(const Replay& replay, int decimals, const TerminalStyle& style) {
  std::string text;
  for (std::size_t index = 0; index < replay.rows.size(); ++index) {
    const ReplayRow& row = replay.rows[index];
    if (!row.failure) continue;
    const ReplayFailure& failure = *row.failure;
    std::string line = fmt::format(
        "{} runs out of memory {}: {} MiB asked for, {} of the device free, {} "
        "allocated, {} reserved.",
        index + 1, place_text(failure.place), in_mebibytes(failure.bytes, decimals),
        in_mebibytes(failure.free_bytes, decimals), in_mebibytes(row.state.allocated_bytes, decimals),
        in_mebibytes(row.state.reserved_bytes, decimals));
    line += row.goes_on
                ? fmt::format(" In all {} not made, of {} MiB.",
                              counted(row.numbers.out_of_memory, "allocation was", "allocations were"),
                              in_mebibytes(row.numbers.out_of_memory_bytes, decimals))
                : " The replay ends there.";
    text += wrapped(line, 2, style.width);
  }
  return text.empty() ? text : style.alarming("Out of memory") + '\n' + text;
}

std::string warning_lines(const Replay& replay, const TerminalStyle& style) {
  if (replay.warnings.empty()) return {};
  auto text = style.alarming(replay.warnings.size() == 1 ? "Warning" : "Warnings") + '\n';
  for (const auto& warning : replay.warnings) text += wrapped(warning, 2, style.width);
  return text;
}

}  // namespace

std::string replay_table(const Replay& replay, bool colour, int width) {
  const TerminalStyle style{colour, std::max(width, kNarrowestTerminal)};
  const int decimals = decimals_of(replay);
  std::string text = header(replay, decimals, style);
  for (const std::string& part : {setting_lines(replay, style), number_lines(replay, decimals, style),
                                  failure_lines(replay, decimals, style), warning_lines(replay, style)}) {
    if (!part.empty()) text += '\n' + part;
  }
  return text;
}

}  // namespace strata::report
