// SPDX-License-Identifier: Apache-2.0
#include "host/report/markdown/diff_markdown.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string_view>

#include "host/report/quantity.hpp"
#include "host/report/terminal/diff_amounts.hpp"
#include "host/report/text.hpp"
#include "host/report/words/sentences.hpp"

namespace strata::report {
namespace {

using analysis::MeasureChange;
using analysis::MeasureUnit;
using analysis::RunDiff;

// A table's cell ends at a bar, in a code span too.
std::string code(std::string_view name) {
  std::string text = printable(name);
  std::ranges::replace(text, '`', '\'');
  std::string escaped;
  for (const char letter : text) {
    if (letter == '|') escaped += '\\';
    escaped += letter;
  }
  return escaped.empty() ? "(none)" : "`" + escaped + "`";
}

std::string row(const MeasureChange& measure, const std::string& label, int decimals) {
  const auto change = measure.change();
  return fmt::format("| {} | {} | {} | {} | {} |\n", label, amount(measure.base, measure.unit, decimals),
                     amount(measure.now, measure.unit, decimals),
                     change ? signed_mebibytes(*change, decimals) : "", changed_share(measure, decimals));
}

std::string rows(const RunDiff& diff, std::string_view begin, int decimals) {
  std::string text;
  for (const MeasureChange& measure : diff.measures) {
    if (measure.name.starts_with(begin) && (measure.base || measure.now))
      text += row(measure, std::string(measure.name.substr(begin.size())), decimals);
  }
  return text;
}

std::string most_changed(const RunDiff& diff, std::string_view begin, std::size_t most, int decimals) {
  std::vector<const MeasureChange*> changed;
  for (const MeasureChange& measure : diff.measures) {
    if (measure.name.starts_with(begin) && measure.change().value_or(0.0) != 0.0) changed.push_back(&measure);
  }
  std::ranges::stable_sort(changed, std::greater{},
                           [](const MeasureChange* each) { return std::abs(*each->change()); });
  if (changed.size() > most) changed.resize(most);
  std::string text;
  for (const MeasureChange* measure : changed)
    text += row(*measure, code(measure->name.substr(begin.size())), decimals);
  return text;
}

std::string side(std::string_view which, const RunDiff::Side& run) {
  const std::string ended = run.end == analysis::RunEnd::kDone ? "" : fmt::format(", {}", to_string(run.end));
  return fmt::format("- {}: {} on {}{}\n", which, code(run.directory), code(run.device), ended);
}

std::string table(std::string_view title, const std::string& rows) {
  return rows.empty()
             ? ""
             : fmt::format("\n| {} | base | new | change | |\n|:--|--:|--:|--:|--:|\n{}", title, rows);
}

std::string of_one(const RunDiff& diff, std::size_t most) {
  const int decimals = decimals_for(largest_bytes(diff.measures));
  std::string text = side("base", diff.base) + side("new", diff.now);
  text += table("Peak of the window, MiB", rows(diff, "peak_", decimals));
  text += table("At the peak, MiB", rows(diff, "category.", decimals));
  text += table("Kind", most_changed(diff, "kind.", most, decimals));
  text += table("Layer", most_changed(diff, "layer.", most, decimals));
  if (!diff.gates.empty()) text += "\n";
  for (const auto& gate : diff.gates)
    text += fmt::format("- {} {}: {}, the limit {}\n", gate.fails ? "**FAIL**" : "pass",
                        code(gate.expression), amount(gate.measure.now, gate.measure.unit, decimals),
                        amount(gate.limit, gate.measure.unit, decimals));
  for (const std::string& warning : run_warnings(diff)) text += fmt::format("\n{}\n", code(warning));
  return text;
}

}  // namespace

std::string diff_markdown(const std::vector<RunDiff>& diffs, std::size_t most) {
  std::string text;
  for (const RunDiff& diff : diffs) text += (text.empty() ? "" : "\n---\n\n") + of_one(diff, most);
  return text;
}

}  // namespace strata::report
