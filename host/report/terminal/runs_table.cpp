// SPDX-License-Identifier: Apache-2.0
#include "host/report/terminal/tables.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string_view>

#include "host/report/quantity.hpp"
#include "host/report/terminal/diff_amounts.hpp"
#include "host/report/terminal_style.hpp"
#include "host/report/text.hpp"
#include "host/report/words/sentences.hpp"

namespace strata::report {
namespace {

using analysis::MeasureChange;
using analysis::MeasureUnit;
using analysis::RunDiff;

constexpr int kLabel = 22, kColumn = 13;
constexpr int kName = kColumn - 4;  // behind a number, in a head

// A row: what one measure is in each run; nothing where a run has it not.
struct MeasureRow {
  std::string name;
  MeasureUnit unit{};
  std::vector<MeasureChange> runs;  // of each diff; its base is the same in all
};

class RunsTable {
 public:
  RunsTable(const std::vector<RunDiff>& diffs, const TerminalStyle& style) : diffs_(diffs), style_(style) {
    collect_rows();
    double largest = 0.0;
    for (const RunDiff& diff : diffs) largest = std::max(largest, largest_bytes(diff.measures));
    decimals_ = decimals_for(largest);
    names_ = short_names();
  }

  std::string text() const {
    std::string text = head() + settings();
    const auto room = static_cast<std::size_t>((style_.width - kLabel) / kColumn);
    for (std::size_t at = 0; at < diffs_.size(); at += room - 1)
      text += columns_of(at, std::min(at + room - 1, diffs_.size()));
    return text + gates() + warnings();
  }

 private:
  // In the order of the first run that has them.
  void collect_rows() {
    for (const RunDiff& diff : diffs_) {
      for (const MeasureChange& measure : diff.measures) {
        if (std::ranges::find(rows_, measure.name, &MeasureRow::name) == rows_.end())
          rows_.push_back({measure.name, measure.unit, changes_of(measure.name)});
      }
    }
    std::erase_if(rows_, [](const MeasureRow& row) {
      return std::ranges::all_of(row.runs, [](const MeasureChange& run) {
        return run.base.value_or(0.0) == 0.0 && run.now.value_or(0.0) == 0.0;
      });
    });
  }

  // A comparison has no measure that neither of its runs has; another's has the base's, then: none, or 0
  // bytes.
  std::vector<MeasureChange> changes_of(std::string_view name) const {
    std::vector<MeasureChange> changes(diffs_.size());
    std::optional<double> base;
    for (std::size_t at = 0; at != diffs_.size(); ++at) {
      const auto found = std::ranges::find(diffs_[at].measures, name, &MeasureChange::name);
      if (found == diffs_[at].measures.end()) continue;
      changes[at] = *found;
      base = found->base;
    }
    for (MeasureChange& change : changes) {
      if (change.name.empty()) change.base = change.now = base;
    }
    return changes;
  }

  // The first part of the runs' folders in which all differ, if it fits into a heading: `sgd` of
  // runs/sgd/20261126T101500Z. Empty if there is none.
  std::vector<std::string> short_names() const {
    std::vector<std::vector<std::string>> parts{parts_of(diffs_.front().base)};
    for (const RunDiff& diff : diffs_) parts.push_back(parts_of(diff.now));
    const std::size_t most = std::ranges::min(parts, {}, &std::vector<std::string>::size).size();
    for (std::size_t at = 0; at != most; ++at) {
      std::vector<std::string> names;
      names.reserve(parts.size());
      for (const auto& of_run : parts) names.push_back(of_run[at]);
      const bool fit =
          std::ranges::all_of(names, [](const std::string& name) { return columns(name) <= kName; });
      if (fit && std::set(names.begin(), names.end()).size() == names.size()) return names;
    }
    return {};
  }

  static std::vector<std::string> parts_of(const RunDiff::Side& run) {
    std::vector<std::string> parts;
    for (const auto& part : std::filesystem::path(run.directory)) parts.push_back(printable(part.string()));
    return parts;
  }

  std::string head() const {
    const RunDiff::Side& base = diffs_.front().base;
    const bool one_device =
        std::ranges::all_of(diffs_, [&](const RunDiff& diff) { return diff.now.device == base.device; });
    std::string text = wrapped(fmt::format("{} runs{}; changes are from the first", diffs_.size() + 1,
                                           one_device ? " on " + printable(base.device) : ""),
                               0, style_.width);
    text += run_line(1, base, one_device);
    for (std::size_t at = 0; at != diffs_.size(); ++at) text += run_line(at + 2, diffs_[at].now, one_device);
    return text;
  }

  std::string run_line(std::size_t number, const RunDiff::Side& run, bool one_device) const {
    std::string more = one_device ? "" : run.device;
    if (run.end != analysis::RunEnd::kDone)
      more += fmt::format("{}{}", more.empty() ? "" : ", ", to_string(run.end));
    const std::string text = printable(run.directory + (more.empty() ? "" : " (" + more + ")"));
    return fmt::format("{:>3}  {}\n", number, shortened(text, style_.width - 5));
  }

  std::string settings() const {
    std::string text;
    for (std::size_t at = 0; at != diffs_.size(); ++at) {
      std::string changes;
      for (const auto& [key, base, now] : diffs_[at].settings)
        changes += fmt::format("{}{}={}", changes.empty() ? "" : ", ", key, now.empty() ? "(none)" : now);
      if (!changes.empty())
        text += fmt::format("{:>3}  {}\n", at + 2, shortened(printable(changes), style_.width - 5));
    }
    return text.empty() ? text
                        : "\n" + style_.heading("Settings that the first run has otherwise") + "\n" + text;
  }

  // The base, and the runs of `diffs_` from `begin` to before `end`.
  std::string columns_of(std::size_t begin, std::size_t end) const {
    std::string text = group("Peak, MiB", "peak_", begin, end) + peak_phases(begin, end) +
                       group("At the peak, MiB", "category.", begin, end);
    if (is_timed()) {
      text += group("Time a step, median", "step_time", begin, end) +
              group("Throughput", "throughput", begin, end) + group("Time by phase", "phase.", begin, end);
    }
    return text;
  }

  // A dry run's step only takes the host's time; if neither a row nor a gate shows times, no warning is
  // needed.
  bool is_timed() const {
    return std::ranges::none_of(diffs_,
                                [](const RunDiff& diff) { return diff.base.is_dry || diff.now.is_dry; });
  }

  std::string group(std::string_view title, std::string_view names, std::size_t begin,
                    std::size_t end) const {
    std::string text;
    for (const MeasureRow& row : rows_) {
      if (row.name.starts_with(names)) text += lines_of(row, names, begin, end);
    }
    if (text.empty()) return text;
    std::string heading = fitted(title, kLabel) + in_column(head_of(1));
    for (std::size_t at = begin; at != end; ++at) heading += in_column(head_of(at + 2));
    return "\n" + style_.heading(heading) + "\n" + text;
  }

  static std::string in_column(std::string_view text) {
    const std::string shown = shortened(text, kColumn - 2);
    return std::string(static_cast<std::size_t>(kColumn - columns(shown)), ' ') + shown;
  }

  // "2 sgd": runs count from 1, the base.
  std::string head_of(std::size_t number) const {
    const RunDiff::Side& run = number == 1 ? diffs_.front().base : diffs_[number - 2].now;
    if (run.end != analysis::RunEnd::kDone) return fmt::format("{} {}", number, to_string(run.end));
    return names_.empty() ? fmt::format("{}", number) : fmt::format("{} {}", number, names_[number - 1]);
  }

  // Below the peaks.
  std::string peak_phases(std::size_t begin, std::size_t end) const {
    std::string line = "  " + fitted("in", kLabel - 2) + in_column(printable(diffs_.front().base.peak_phase));
    for (std::size_t at = begin; at != end; ++at) line += in_column(printable(diffs_[at].now.peak_phase));
    line.erase(line.find_last_not_of(' ') + 1);
    return (line == "  in" ? "" : line + "\n") + peak_steps(begin, end);
  }

  std::string peak_steps(std::size_t begin, std::size_t end) const {
    std::vector<std::int64_t> steps{diffs_.front().base.peak_step};
    for (std::size_t at = begin; at != end; ++at) steps.push_back(diffs_[at].now.peak_step);
    if (!shows_peak_steps(steps)) return "";
    std::string line = "  " + fitted("of step", kLabel - 2);
    for (const std::int64_t step : steps) line += in_column(fmt::format("{}", step));
    return line + "\n";
  }

  std::string lines_of(const MeasureRow& row, std::string_view names, std::size_t begin,
                       std::size_t end) const {
    const std::string rest = row.name.substr(names.size());
    const std::string_view label = row.name == "step_time"    ? "step"
                                   : row.name == "throughput" ? "a second"
                                                              : std::string_view(rest);
    std::string text = "  " + fitted(printable(label), kLabel - 2) +
                       fmt::format("{:>{}}", amount(row.runs.front().base, row.unit, decimals_), kColumn);
    std::string shares(kLabel + kColumn, ' ');
    for (std::size_t at = begin; at != end; ++at) {
      text += fmt::format("{:>{}}", amount(row.runs[at].now, row.unit, decimals_), kColumn);
      shares += fmt::format("{:>{}}", changed_share(row.runs[at], decimals_), kColumn);
    }
    shares.erase(shares.find_last_not_of(' ') + 1);
    return text + "\n" + (shares.empty() ? "" : style_.dimmed(shares) + "\n");
  }

  std::string gates() const {
    std::string text;
    for (std::size_t at = 0; at != diffs_.size(); ++at) {
      for (const auto& gate : diffs_[at].gates)
        text += fmt::format("{:>3}  {}\n", at + 2, gate_text(gate, decimals_, style_));
    }
    return text.empty() ? text : "\n" + style_.heading("Gates") + "\n" + text;
  }

  static bool holds_time(const RunDiff& diff) {
    return std::ranges::any_of(diff.gates, [](const analysis::Gate::Result& gate) {
      return gate.measure.unit != MeasureUnit::kBytes;
    });
  }

  // Each once, with the runs that it applies to if not the first.
  std::string warnings() const {
    std::map<std::string, std::vector<std::string>> runs;
    for (std::size_t at = 0; at != diffs_.size(); ++at) {
      const std::string number = fmt::format("{}", at + 2);
      for (const std::string& warning : run_warnings(diffs_[at])) runs[warning].push_back(number);
      if (const std::string warning = time_warning(diffs_[at]); !warning.empty() && holds_time(diffs_[at]))
        runs[warning].push_back(number);
    }
    std::string text;
    for (const auto& [warning, numbers] : runs)
      text += "\n" + wrapped(fmt::format("! 1 and {}: {}", fmt::join(numbers, ", "), printable(warning)), 0,
                             style_.width);
    return text;
  }

  const std::vector<RunDiff>& diffs_;
  TerminalStyle style_;
  std::vector<MeasureRow> rows_;
  std::vector<std::string> names_;  // of the base and of each run; empty: no distinctive names
  int decimals_ = 0;
};

}  // namespace

std::string runs_table(const std::vector<RunDiff>& diffs, bool colour, int width) {
  return RunsTable(diffs, {colour, std::max(width, kNarrowestTerminal)}).text();
}

}  // namespace strata::report
