// SPDX-License-Identifier: Apache-2.0
#include "host/report/terminal/tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "host/analysis/facts/facts.hpp"
#include "host/analysis/warm_up/causes.hpp"
#include "host/report/quantity.hpp"
#include "host/report/terminal/step_drawing.hpp"
#include "host/report/terminal_style.hpp"
#include "host/report/text.hpp"
#include "host/report/words/warm_up_words.hpp"

namespace strata::report {
namespace {

using analysis::Course;
using analysis::Facts;
using analysis::SteadyState;

constexpr std::size_t kStepsInFull = 5;

std::string certainty_sign(analysis::Certainty certainty) {
  switch (certainty) {
    case analysis::Certainty::kEstimated:
      return "~";
    case analysis::Certainty::kAtMost:
      return "<";
    default:
      return " ";
  }
}

std::string cause_row(std::string_view sign, double ns, double whole_ns, std::string_view title) {
  return fmt::format("  {}{:>9}{:>8}  {}\n", sign, duration(ns), percentage(ns, whole_ns), title);
}

std::string cause_rows(const std::vector<analysis::CauseShare>& causes, double unattributed_ns,
                       double excess_ns, bool with_proof, const TerminalStyle& style) {
  std::string text;
  for (const auto& share : causes) {
    const auto& cause = describe(share.cause);
    text += cause_row(certainty_sign(cause.certainty), share.ns, excess_ns, cause_title(share.cause));
    if (with_proof && !share.proofs.empty())
      text += style.dimmed(wrapped(proof_text(share.proofs), 23, style.width));
  }
  return text + cause_row(" ", unattributed_ns, excess_ns, "not attributed");
}

std::string slow_step(const analysis::SlowStep& step, const TerminalStyle& style) {
  auto text =
      style.heading(fmt::format("Step {}", step.step)) +
      fmt::format(" took {}, {} more than a steady one\n", duration(step.ns), duration(step.excess_ns));
  std::string phases;
  for (const auto& phase : step.phases) {
    if (phase.excess_ns < 0.05 * step.excess_ns) continue;
    phases += fmt::format("{}{} {}", phases.empty() ? "" : ", ", phase.name, duration(phase.excess_ns));
  }
  if (!phases.empty()) text += wrapped("of that by phase: " + phases, 2, style.width);
  return text + cause_rows(step.causes, step.unattributed_ns, step.excess_ns, true, style);
}

std::string slow_steps(const std::vector<analysis::SlowStep>& steps, const TerminalStyle& style) {
  std::string text;
  for (std::size_t index = 0; index < steps.size() && index < kStepsInFull; ++index)
    text += slow_step(steps[index], style);
  if (steps.size() > kStepsInFull)
    text += wrapped(fmt::format("{} more steps with --json", steps.size() - kStepsInFull), 2, style.width);
  return text;
}

std::string before_steps(const Facts& facts, const TerminalStyle& style) {
  const auto& before = facts.warm_up.before;
  if (before.ns <= 0.0) return {};
  auto text = style.heading("Before the first step") + ' ' + duration(before.ns) + '\n';
  for (const auto& share : before.causes) {
    text += cause_row(" ", share.ns, before.ns, cause_title(share.cause));
    text += style.dimmed(wrapped(proof_text(share.proofs), 23, style.width));
  }
  return text + wrapped(fmt::format("{} opened, {}", counted(before.libraries, "library", "libraries"),
                                    counted(before.page_faults, "page fault", "page faults")),
                        2, style.width);
}

// For causes that only this detector can see.
std::string titles_of(analysis::Detector detector) {
  std::string titles;
  for (std::size_t index = 0; index < analysis::kCauses; ++index) {
    const auto cause = static_cast<analysis::Cause>(index);
    if (describe(cause).detector == detector)
      titles += fmt::format("{}{}", titles.empty() ? "" : "; ", cause_title(cause));
  }
  return titles;
}

std::string not_looked_for(const Facts& facts, const TerminalStyle& style) {
  std::string text;
  for (const analysis::Detector detector : facts.warm_up.not_recorded) {
    const std::string_view why = detector == analysis::Detector::kActivities
                                     ? "no activity of a device's driver was recorded"
                                     : "no operators of these steps were told (trace.ops)";
    text += wrapped(fmt::format("Not looked for, as {}: {}.", why, titles_of(detector)), 2, style.width);
  }
  return text;
}

std::string legend(const TerminalStyle& style) {
  return style.dimmed(
      wrapped("~ estimated: so many, times what one takes. < at most: what the phase took more, and nothing "
              "else explains. The rest was timed, or is the difference to steady steps.",
              2, style.width));
}

// The median knows nothing of an evaluation in between, a checkpoint that is saved, a loader that runs dry.
std::string long_steps(const SteadyState& state) {
  if (state.over_twice == 0) return {};
  return fmt::format("; {} of them took more than twice that, {:.1f} times in step {}",
                     thousands(state.over_twice), state.longest->ns / *state.median_ns, state.longest->step);
}

}  // namespace

std::string steady_sentence(const Facts& facts) {
  const SteadyState& state = facts.steady_state;
  if (!state.median_ns) return {};
  const std::string median = duration(*state.median_ns);
  switch (state.course) {
    case Course::kNotYet:
      return fmt::format("too few steps to tell; the first took {:.1f} times the others' median of {}",
                         state.first_over_median.value_or(0.0), median);
    case Course::kNone:
      return fmt::format("not within {} steps; the first took {:.1f} times the others' median of {}",
                         thousands(state.steps), state.first_over_median.value_or(0.0), median);
    case Course::kFlat:
    case Course::kWarmUp:
    case Course::kSlowDown:
      break;
  }
  auto text = fmt::format("from step {} on: {}, {} in the median (95%: {} to {})", *state.first_step,
                          counted(state.steps - state.warm_up_steps, "step", "steps"), median,
                          duration(state.median_low_ns), duration(state.median_high_ns));
  text += long_steps(state);
  if (state.course == Course::kWarmUp)
    text += fmt::format("; {} of warm-up took {} more", counted(state.warm_up_steps, "step", "steps"),
                        duration(state.excess_ns));
  // Some that were faster make a slow-down, however slow others were.
  if (state.course == Course::kSlowDown) {
    const std::string before = counted(state.warm_up_steps, "step", "steps");
    text += state.excess_ns < 0.0
                ? fmt::format("; {} before took {} less", before, duration(-state.excess_ns))
                : fmt::format("; {} before took {} more, though some were faster", before,
                              duration(state.excess_ns));
  }
  return text;
}

std::string short_warm_up(const Facts& facts, const TerminalStyle& style) {
  const auto& warm_up = facts.warm_up;
  if (warm_up.steps.empty()) return {};
  constexpr std::size_t kShown = 4;
  auto text =
      style.heading("Warm-up") + fmt::format(" {} more than steady, in {}\n", duration(warm_up.excess_ns),
                                             counted(warm_up.steps.size(), "step", "steps"));
  std::vector<analysis::CauseShare> shown = warm_up.causes;
  double others_ns = 0.0;
  for (std::size_t index = kShown; index < shown.size(); ++index) others_ns += shown[index].ns;
  shown.resize(std::min(shown.size(), kShown));
  for (const auto& share : shown) {
    const auto& cause = describe(share.cause);
    text += cause_row(certainty_sign(cause.certainty), share.ns, warm_up.excess_ns, cause_title(share.cause));
  }
  if (others_ns > 0.0) text += cause_row(" ", others_ns, warm_up.excess_ns, "other causes");
  text += cause_row(" ", warm_up.unattributed_ns, warm_up.excess_ns, "not attributed");
  return text + style.dimmed(wrapped("with proofs: strata report RUN --warm-up", 2, style.width));
}

std::string warm_up_report(const Facts& facts, bool colour, int width) {
  const TerminalStyle style{colour, std::max(width, kNarrowestTerminal)};
  const SteadyState& state = facts.steady_state;
  if (state.steps < 2) return "Fewer than two steps came to their end: there is nothing to compare.\n";
  std::string text = style.heading("Steady state") + '\n' + wrapped(steady_sentence(facts), 2, style.width);
  if (facts.dry)
    text += wrapped("of the host's part alone: a dry device's time says nothing", 2, style.width);
  if (state.mean_steady_ns)
    text += wrapped(fmt::format("mean of all {} steps {}, of the steady ones {}", thousands(state.steps),
                                duration(state.mean_all_ns), duration(*state.mean_steady_ns)),
                    2, style.width);
  text += step_drawing(facts, style.width);
  const auto& warm_up = facts.warm_up;
  if (!warm_up.is_recorded) {
    return text + '\n' +
           wrapped(
               "Why the first steps are slow is not known: the plugin warmup_analyzer was not loaded "
               "(strata exec --plugins allocator_tracer,warmup_analyzer; in a file plugins: [...]).",
               0, style.width);
  }
  if (warm_up.steps.empty()) text += "\n  No step is slower at first than the others are.\n";
  if (warm_up.steps.size() > 1) {
    text += '\n' + style.heading("All steps of the warm-up") + ' ' + duration(warm_up.excess_ns) + " more\n" +
            cause_rows(warm_up.causes, warm_up.unattributed_ns, warm_up.excess_ns, false, style);
  }
  if (!warm_up.steps.empty()) text += '\n' + slow_steps(warm_up.steps, style);
  if (const std::string before = before_steps(facts, style); !before.empty()) text += '\n' + before;
  if (!warm_up.again.empty())
    text += '\n' + style.heading("Slow again") + " after the warm-up\n" + slow_steps(warm_up.again, style);
  return text + '\n' + not_looked_for(facts, style) + legend(style);
}

}  // namespace strata::report
