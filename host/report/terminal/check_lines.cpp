// SPDX-License-Identifier: Apache-2.0
#include "host/report/terminal/check_lines.hpp"

#include <fmt/format.h>

#include <string_view>

#include "host/analysis/facts/facts.hpp"
#include "host/report/quantity.hpp"
#include "host/report/text.hpp"

namespace strata::report {
namespace {

using analysis::Facts;

// The result of a check, followed by its first error, if any.
std::string check_text(bool holds, std::string_view found, std::string_view first,
                       const TerminalStyle& style) {
  const auto shown = shortened(found, style.width - 11);
  auto text = "  checked  " + (holds ? shown : style.alarming(shown)) + '\n';
  return first.empty() ? text : text + wrapped(first, 11, style.width);
}

std::string sums_check(const analysis::CrossCheck& check, const TerminalStyle& style) {
  if (check.holds()) {
    return check_text(true, fmt::format("all {} sums equal c10's own count", thousands(check.events)), {},
                      style);
  }
  if (check.events_compared == 0) {
    return check_text(
        false, fmt::format("none of {} sums was compared with c10's own count", thousands(check.events)), {},
        style);
  }
  const auto found = fmt::format(
      "{} of {} sums differ from c10's own count, {} were not compared", thousands(check.mismatches),
      thousands(check.events), thousands(check.events - check.events_compared + check.reports_without_event));
  if (!check.first_mismatch) return check_text(false, found, {}, style);
  const auto& first = *check.first_mismatch;
  return check_text(
      false, found,
      fmt::format("first: after the event of sequence {} the categories sum up to {} bytes and "
                  "c10 counts {}",
                  first.sequence, thousands(first.allocated_bytes), thousands(first.reported_bytes)),
      style);
}

std::string stats_check(const analysis::StatsCheck& check, const TerminalStyle& style) {
  if (check.holds()) {
    return check_text(true, fmt::format("all {} counts and peaks equal DeviceStats", thousands(check.values)),
                      {}, style);
  }
  if (!check.first_mismatch) return check_text(false, "no count was compared with DeviceStats", {}, style);
  const auto& first = *check.first_mismatch;
  return check_text(false,
                    fmt::format("{} of {} counts and peaks differ from DeviceStats",
                                thousands(check.mismatches), thousands(check.values)),
                    fmt::format("first: {} at the event of sequence {} is {} bytes and torch counts {}",
                                first.count, first.sequence, thousands(first.ours), thousands(first.torchs)),
                    style);
}

std::string labels_check(const Facts& facts, const analysis::Confusion& truth, const TerminalStyle& style) {
  const auto found =
      fmt::format("{} blocks labelled unlike autograd, of {} compared",
                  thousands(truth.labelled_differently().blocks), thousands(truth.compared_blocks));
  if (truth.saved_blocks == 0) return check_text(false, found + "; it saved none", {}, style);
  if (truth.disagreements.empty()) return check_text(true, found, {}, style);
  const auto& largest = truth.disagreements.front();
  const auto& block = facts.blocks.at(largest.first_block);
  auto origin = facts.texts.at(block.name != 0 ? block.name : block.op);
  if (origin.empty()) origin = "(no op)";
  if (block.layer != 0) origin += " of " + facts.texts[block.layer];
  return check_text(
      false, found,
      fmt::format("most of it: {} blocks are {} {} to autograd and {} {} by their lifetimes; the "
                  "first of them, {} bytes, by {}",
                  thousands(largest.size.blocks), to_string(largest.truth_category),
                  to_string(largest.truth_kind), to_string(largest.rule_category),
                  to_string(largest.rule_kind), thousands(block.bytes), origin),
      style);
}

}  // namespace

std::string check_lines(const Facts& facts, const TerminalStyle& style) {
  std::string text;
  if (facts.cross_check) text += sums_check(*facts.cross_check, style);
  if (facts.stats_check) text += stats_check(*facts.stats_check, style);
  if (facts.truth) text += labels_check(facts, *facts.truth, style);
  return text;
}

std::string failed_checks(const Facts& facts, const TerminalStyle& style) {
  std::string text;
  if (facts.cross_check && !facts.cross_check->holds()) text += sums_check(*facts.cross_check, style);
  if (facts.stats_check && !facts.stats_check->holds()) text += stats_check(*facts.stats_check, style);
  const bool is_told_otherwise =
      facts.truth && (facts.truth->saved_blocks == 0 || !facts.truth->disagreements.empty());
  if (is_told_otherwise) text += labels_check(facts, *facts.truth, style);
  return text;
}

std::string no_memory(const Facts& facts, const TerminalStyle& style) {
  return wrapped(traces_memory(facts)
                     ? "No allocation was recorded: none was made, or what was is lost, as the warnings say."
                     : "No allocation was recorded. The table of memory needs the plugin allocator_tracer "
                       "and a source of memory events.",
                 0, style.width);
}

}  // namespace strata::report
