// SPDX-License-Identifier: Apache-2.0
#include "host/report/terminal/tables.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "host/analysis/facts/memory_facts.hpp"
#include "host/analysis/peak/evaluations.hpp"
#include "host/report/quantity.hpp"
#include "host/report/terminal_style.hpp"
#include "host/report/text.hpp"

namespace strata::report {
namespace {

using analysis::Category;
using analysis::Evaluations;
using analysis::MemoryFacts;
using analysis::StepFact;

// The columns available for the phase, after all others.
int phase_columns(const TerminalStyle& style) {
  return style.width < 100 ? 10 : 18;
}
int columns_behind(const TerminalStyle& style) {
  return style.width - 1 - 6 - 11 - 11 - 12 - 2 - phase_columns(style) - 2;
}

std::string phase_of(const MemoryFacts& facts, const StepFact& step, const Evaluations& evaluations) {
  if (step.peak_phase != 0) return facts.phases.at(step.peak_phase - 1).name;
  const std::string_view phase = evaluations.phase_at(step.peak_sequence);
  return phase.empty() ? "(no phase)" : std::string(phase);
}

std::string row(const MemoryFacts& facts, const StepFact& step, const std::string& phase, int decimals,
                const TerminalStyle& style) {
  const auto largest = std::ranges::max_element(step.peak_categories) - step.peak_categories.begin();
  const auto amount = [&](std::uint64_t bytes) { return mebibytes(static_cast<double>(bytes), decimals); };
  const auto text = fmt::format(
      "{}{:>6}{:>11}{:>11}{:>12}  {}  {}", step.index == facts.peak.step ? '>' : ' ', step.index,
      amount(step.peak_allocated_bytes), amount(step.peak_reserved_bytes),
      step.thinned ? "" : change(step.begin_categories, step.peak_categories, decimals),
      fitted(phase, phase_columns(style)),
      step.thinned ? "thinned"
      : step.peak_allocated_bytes == 0
          ? ""
          : shortened(fmt::format("{} {}", to_string(static_cast<Category>(largest)),
                                  amount(step.peak_categories.at(static_cast<std::size_t>(largest)))),
                      columns_behind(style)));
  const auto shown = text.substr(0, text.find_last_not_of(' ') + 1);
  return (step.index == facts.peak.step ? style.heading(shown) : shown) + '\n';
}

}  // namespace

std::string step_table(const MemoryFacts& facts, bool colour, int width) {
  const TerminalStyle style{colour, std::max(width, kNarrowestTerminal)};
  if (facts.steps.empty()) return "No step was recorded.\n";
  std::uint64_t most = 0;
  for (const StepFact& step : facts.steps) most = std::max(most, step.peak_allocated_bytes);
  const int decimals = decimals_for(static_cast<double>(most));
  std::string text =
      style.heading(fmt::format("{:>7}{:>11}{:>11}{:>12}  {:<{}}  {}", "step", "allocated", "reserved",
                                "since begin", "peak in", phase_columns(style), "most of it")) +
      '\n';
  const Evaluations evaluations(facts);
  for (const StepFact& step : facts.steps)
    text += row(facts, step, phase_of(facts, step, evaluations), decimals, style);
  const std::string peak =
      facts.peak.step >= 0 || facts.peak.allocated_bytes == 0
          ? ">: the window's peak."
          : fmt::format("The window's peak, {}, is outside of steps.",
                        mebibytes(static_cast<double>(facts.peak.allocated_bytes), decimals));
  return text + style.dimmed("  MiB. Since begin: against what the step begins with. " + peak) + '\n';
}

}  // namespace strata::report
