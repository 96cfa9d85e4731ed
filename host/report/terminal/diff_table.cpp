// SPDX-License-Identifier: Apache-2.0
#include "host/report/terminal/tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <string_view>
#include <vector>

#include "host/report/quantity.hpp"
#include "host/report/terminal/diff_amounts.hpp"
#include "host/report/terminal_style.hpp"
#include "host/report/text.hpp"
#include "host/report/words/sentences.hpp"

namespace strata::report {
namespace {

using analysis::BlockGroup;
using analysis::MeasureChange;
using analysis::MeasureUnit;
using analysis::RunDiff;

constexpr int kAmount = 12, kShare = 10;

std::string signed_duration(double ns) {
  return (ns < 0 ? "-" : "+") + duration(std::abs(ns));
}

std::string changed_by(const MeasureChange& measure, int decimals) {
  const auto change = measure.change();
  if (!change) return "";
  if (measure.unit == MeasureUnit::kBytes) return signed_mebibytes(*change, decimals);
  if (measure.unit == MeasureUnit::kNanoseconds) return signed_duration(*change);
  return fmt::format("{:+.1f}/s", *change);
}

class DiffTable {
 public:
  DiffTable(const RunDiff& diff, std::size_t most, const TerminalStyle& style)
      : diff_(diff), most_(most), style_(style), decimals_(decimals_for(largest_bytes(diff.measures))) {}

  std::string text() const {
    return head() + settings() + measures("Peak of the window, MiB", "peak_", most_of_all()) + peak_phases() +
           measures("By category at the peak", "category.", most_of_all()) +
           measures("By kind, those that changed most", "kind.", most_) +
           measures("By layer, those that changed most", "layer.", most_) + allocations() + times() +
           gates() + warnings();
  }

 private:
  static std::size_t most_of_all() { return SIZE_MAX; }

  int label_columns() const { return style_.width - 3 * kAmount - kShare - 2; }

  std::string head() const { return side("base", diff_.base) + side("new", diff_.now); }

  // Below the peaks.
  std::string peak_phases() const {
    if (diff_.base.peak_phase.empty() && diff_.now.peak_phase.empty()) return "";
    const auto phase = [](const RunDiff::Side& run) {
      return fmt::format("{:>{}}", shortened(printable(run.peak_phase), kAmount - 2), kAmount);
    };
    std::string line = "  " + fitted("in", label_columns()) + phase(diff_.base) + phase(diff_.now);
    line.erase(line.find_last_not_of(' ') + 1);
    return line + '\n' + peak_steps();
  }

  std::string peak_steps() const {
    if (!shows_peak_steps({diff_.base.peak_step, diff_.now.peak_step})) return "";
    return fmt::format("  {}{:>{}}{:>{}}\n", fitted("of step", label_columns()), diff_.base.peak_step,
                       kAmount, diff_.now.peak_step, kAmount);
  }

  std::string side(std::string_view which, const RunDiff::Side& run) const {
    const std::string ended =
        run.end == analysis::RunEnd::kDone ? "" : fmt::format(", {}", to_string(run.end));
    const std::string text = printable(run.directory + " (" + run.name + ", " + run.device + ended + ")");
    return fmt::format("{:<6}{}\n", which, shortened(text, style_.width - 6));
  }

  std::string settings() const {
    if (diff_.settings.empty()) return "";
    std::string text = heading("Settings that differ");
    for (const auto& setting : diff_.settings) {
      const auto value = [](const std::string& one) { return one.empty() ? "(none)" : printable(one); };
      const std::string base = value(setting.base), now = value(setting.now);
      const int key = std::min(28, style_.width / 3), room = style_.width - key - 3;
      const bool fits = columns(base) + 4 + columns(now) <= room;
      text += fmt::format("  {} {}", fitted(printable(setting.key), key), shortened(base, room));
      text += fits ? fmt::format(" -> {}\n", now)
                   : fmt::format("\n{:>{}} -> {}\n", "", key, shortened(now, room - 1));
    }
    return text;
  }

  std::string heading(std::string_view text) const { return "\n" + style_.heading(text) + "\n"; }

  std::string columns_heading(std::string_view text) const {
    return "\n" +
           style_.heading(fmt::format("{}{:>{}}{:>{}}{:>{}}", fitted(text, label_columns() + 2), "base",
                                      kAmount, "new", kAmount, "change", kAmount)) +
           "\n";
  }

  std::string row(const MeasureChange& measure, std::string_view label) const {
    std::string text = fmt::format(
        "  {}{:>{}}{:>{}}{:>{}}{:>{}}", fitted(printable(label), label_columns()),
        amount(measure.base, measure.unit, decimals_), kAmount, amount(measure.now, measure.unit, decimals_),
        kAmount, changed_by(measure, decimals_), kAmount, changed_share(measure, decimals_), kShare);
    text.erase(text.find_last_not_of(' ') + 1);
    return (measure.change().value_or(0.0) == 0.0 ? style_.dimmed(text) : text) + "\n";
  }

  // Measures whose names begin with `begin`; if there are more than `most`, only changed ones, by change.
  std::string measures(std::string_view title, std::string_view begin, std::size_t most) const {
    std::vector<const MeasureChange*> rows;
    for (const MeasureChange& measure : diff_.measures) {
      if (measure.name.starts_with(begin) && (measure.base || measure.now)) rows.push_back(&measure);
    }
    std::size_t left_out = 0;
    if (most != most_of_all()) {
      std::erase_if(rows, [](const MeasureChange* each) { return each->change().value_or(0.0) == 0.0; });
      std::ranges::stable_sort(rows, std::greater{}, [](const MeasureChange* each) {
        return std::abs(each->change().value_or(0.0));
      });
      left_out = rows.size() - std::min(most, rows.size());
      rows.resize(rows.size() - left_out);
      if (rows.empty()) return "";
    }
    std::string text = columns_heading(title);
    for (const MeasureChange* measure : rows) text += row(*measure, measure->name.substr(begin.size()));
    return text + rest(left_out);
  }

  std::string rest(std::size_t left_out) const {
    return left_out == 0 ? "" : style_.dimmed(fmt::format("  {} more (--top)", left_out)) + "\n";
  }

  std::string times() const {
    std::string text = columns_heading("Time a step, median");
    for (const MeasureChange& measure : diff_.measures) {
      if (!measure.base && !measure.now) continue;
      if (measure.name == "step_time") text += row(measure, "step");
      if (measure.name == "throughput") text += row(measure, measure.name);
      if (measure.name.starts_with("phase.")) text += row(measure, measure.name.substr(6));
    }
    return text;
  }

  std::string allocations() const {
    if (diff_.allocations.empty()) return "";
    std::string text = heading("Allocations at the peak that came (+) or went (-)");
    const std::size_t shown = std::min(most_, diff_.allocations.size());
    std::vector<std::string> counts;
    for (std::size_t at = 0; at != shown; ++at) counts.push_back(counts_of(diff_.allocations[at]));
    const int widest = counts.empty() ? 0 : columns(std::ranges::max(counts, {}, columns));
    for (std::size_t at = 0; at != shown; ++at) {
      const BlockGroup& group = diff_.allocations[at];
      text += fmt::format("  {:>11}  {:>{}}  {}\n",
                          signed_mebibytes(static_cast<double>(group.change_bytes()), decimals_), counts[at],
                          widest, shortened(allocation(group), style_.width - widest - 17));
    }
    return text + rest(diff_.allocations.size() - shown);
  }

  // If the counts are equal, the allocator's rounding differs.
  std::string counts_of(const BlockGroup& group) const {
    const std::string size = mebibytes(static_cast<double>(group.bytes), decimals_);
    return group.base_blocks == group.now_blocks
               ? fmt::format("{} x {}, rounding", thousands(group.now_blocks), size)
               : fmt::format("{} -> {} x {}", thousands(group.base_blocks), thousands(group.now_blocks),
                             size);
  }

  // The layer only where the owner's name does not begin with it.
  static std::string allocation(const BlockGroup& group) {
    const bool is_said = !group.layer.empty() && group.maker.starts_with(group.layer);
    return fmt::format("{} {}{}", to_string(group.kind), is_said ? "" : printable(group.layer) + " ",
                       printable(group.maker));
  }

  std::string gates() const {
    if (diff_.gates.empty()) return "";
    std::string text = heading("Gates");
    for (const auto& gate : diff_.gates) text += "  " + gate_text(gate, decimals_, style_) + "\n";
    return text;
  }

  std::string warnings() const {
    const auto line = [this](const std::string& warning) {
      return "\n" + wrapped("! " + printable(warning), 0, style_.width);
    };
    std::string text;
    for (const std::string& warning : warnings_of(diff_)) text += line(warning);
    return text;
  }

  const RunDiff& diff_;
  std::size_t most_;
  TerminalStyle style_;
  int decimals_;
};

}  // namespace

std::string diff_table(const RunDiff& diff, std::size_t most, bool colour, int width) {
  return DiffTable(diff, most, {colour, std::max(width, kNarrowestTerminal)}).text();
}

}  // namespace strata::report
