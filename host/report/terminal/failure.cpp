// SPDX-License-Identifier: Apache-2.0
#include "host/report/terminal/failure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "host/analysis/allocator/caching_allocator.hpp"
#include "host/analysis/facts/facts.hpp"
#include "host/analysis/peak/out_of_memory.hpp"
#include "host/report/quantity.hpp"
#include "host/report/terminal/layer_table.hpp"
#include "host/report/terminal/stack_lines.hpp"
#include "host/report/terminal/terminal_tables.hpp"
#include "host/report/text.hpp"
#include "host/report/words/sentences.hpp"
#include "host/report/words/snapshot_words.hpp"

namespace strata::report {
namespace {

using analysis::Facts;
using analysis::OutOfMemory;

constexpr std::size_t kShownFrames = 12;

std::string failure_amount(std::uint64_t bytes) {
  const auto value = static_cast<double>(bytes);
  return mebibytes(value, decimals_for(value)) + " MiB";
}

std::string asked(const Facts& facts, const OutOfMemory& failure) {
  std::string text = failure_amount(failure.requested_bytes) + " asked for";
  if (failure.op != 0) text += " by " + facts.texts.at(failure.op);
  if (failure.layer != 0) text += " in " + facts.texts.at(failure.layer);
  if (failure.held.step >= 0) text += fmt::format(", step {}", failure.held.step);
  if (!failure.held.phase.empty()) text += ", " + failure.held.phase;
  return text;
}

std::string room(const Facts& facts, const OutOfMemory& failure) {
  std::string text = failure_amount(failure.held.allocated_bytes) + " were allocated";
  if (failure.held.reserved_bytes != failure.held.allocated_bytes) {
    text += fmt::format(", {} reserved", failure_amount(failure.held.reserved_bytes));
    if (analysis::has_segments(facts.reserved))
      text += fmt::format(", whose largest free piece was {}", failure_amount(failure.largest_gap_bytes));
  }
  if (failure.device_free_bytes)
    text += fmt::format("; the device had {} left", failure_amount(*failure.device_free_bytes));
  return text;
}

// Before the first forward the roles of memory are unknown.
std::string note(const Facts& facts, const OutOfMemory& failure) {
  if (facts.snapshot || !is_before_any_forward(facts, failure)) return {};
  return has_computed(facts, failure)
             ? "no forward that trains was seen before: what is there is what the program set up and what it "
               "computed with that; the owner of each block is known only of a training"
             : "no forward was seen before: what is there is what the program set up, its model as a rule; "
               "the "
               "owner of each block is not known yet";
}

std::string one_failure(const Facts& facts, const OutOfMemory& failure, analysis::StackView& stacks,
                        const TerminalStyle& style) {
  std::string text = style.alarming("Out of memory") + '\n';
  text += wrapped(asked(facts, failure), 2, style.width) + wrapped(room(facts, failure), 2, style.width);
  if (const std::string why = note(facts, failure); !why.empty()) text += wrapped(why, 2, style.width);
  text += stack_lines(stacks, facts, failure.held.sequence, kShownFrames, 4, style);
  if (failure.held.categories == facts.peak.categories) {
    text += "  what filled it is told above: it was the peak\n";
  } else if (!has_no_categories(facts)) {
    text += category_bars(failure.held, style);
    text += '\n' + short_layer_table("Filled, by module", facts, failure.held, style);
  }
  const std::string found = finding_lines(failure.findings, failure.findings.size(), style);
  return found.empty() ? text : text + '\n' + found;
}

}  // namespace

std::string finding_lines(const std::vector<analysis::Finding>& findings, std::size_t most,
                          const TerminalStyle& style) {
  if (findings.empty()) return {};
  std::string text = style.heading("What the recording shows") + '\n';
  const int decimals = decimals_for(static_cast<double>(findings.front().bytes));
  for (const analysis::Finding& finding : std::span(findings).first(std::min(findings.size(), most)))
    text += fmt::format("{:>13} MiB  ", mebibytes(static_cast<double>(finding.bytes), decimals)) +
            wrapped(finding_text(finding), 19, style.width).substr(19);
  return text;
}

std::string failures(const Facts& facts, analysis::StackView& stacks, const TerminalStyle& style) {
  const auto& all = facts.out_of_memory;
  if (all.empty()) {
    if (facts.end != analysis::RunEnd::kOutOfMemory) return {};
    return style.alarming("Out of memory") + '\n' +
           wrapped(
               fmt::format("not of {}: another device's memory ran out, such as the host's, and ended the "
                           "run; --device cpu shows the host's",
                           facts.device),
               2, style.width);
  }
  std::string text = one_failure(facts, all.front(), stacks, style);
  if (all.size() == 1) return text;
  text += fmt::format("\n{} failed after it; the last of them:\n",
                      counted(all.size() - 1, "more allocation", "more allocations"));
  return text + one_failure(facts, all.back(), stacks, style);
}

FailureText failure_text(const Facts& facts, const OutOfMemory& failure) {
  return {.asked = asked(facts, failure), .room = room(facts, failure), .note = note(facts, failure)};
}

}  // namespace strata::report
