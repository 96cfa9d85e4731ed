// SPDX-License-Identifier: Apache-2.0
#include "host/report/peak_context.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string_view>

#include "host/analysis/facts/memory_facts.hpp"
#include "host/analysis/steps/open_phases.hpp"
#include "host/report/kind_meanings.hpp"
#include "host/report/quantity.hpp"

namespace strata::report {
namespace {

using analysis::HighPlace;
using analysis::MemoryFacts;
using analysis::PeakChange;

constexpr std::size_t kKindsShown = 4;
constexpr std::uint64_t kPartsShown = 1000;  // of the peak

// ", aten::bmm of lm_head, in backward"
std::string where(const MemoryFacts& facts, const HighPlace& place) {
  std::string text;
  if (place.op != 0) text += ", " + facts.texts.at(place.op);
  if (place.layer != 0) text += (place.op != 0 ? " of " : ", ") + facts.texts.at(place.layer);
  return text + (place.phase.empty() ? ", between phases" : ", in " + place.phase);
}

// A moment above the second-highest peak is not a separate peak.
std::string_view what_is_highest(const MemoryFacts& facts, const HighPlace& outside) {
  const auto& next = facts.peak_context.next_place;
  if (next && outside.allocated_bytes <= next->allocated_bytes) return "the highest is";
  return outside.sequence < facts.peak.sequence ? "the way up to this peak comes to"
                                                : "the way down from this peak is still at";
}

// The peak's phase, in another micro-batch of the same step.
bool is_in_another_micro_batch(const MemoryFacts& facts, const HighPlace& place) {
  if (place.phase != facts.peak.phase) return false;
  const analysis::OpenPhases phases(facts.phases);
  const auto its = phases.innermost(place.sequence), peaks = phases.innermost(facts.peak.sequence);
  return its && peaks && facts.phases[*its].micro_batch != facts.phases[*peaks].micro_batch;
}

}  // namespace

std::span<const PeakChange> reported_changes(const MemoryFacts& facts) {
  const auto& changes = facts.peak_context.changes;
  std::size_t told = 0;
  while (told < std::min(changes.size(), kKindsShown) &&
         (told == 0 || std::max(changes[told].born_bytes, changes[told].freed_bytes) >=
                           facts.peak.allocated_bytes / kPartsShown)) {
    ++told;
  }
  return std::span(changes).first(told);
}

std::string change_sentence(const MemoryFacts& facts) {
  const auto& context = facts.peak_context;
  if (context.changes.empty()) return {};
  const int decimals = decimals_for(static_cast<double>(facts.peak.allocated_bytes));
  std::string text = fmt::format("since the {} began {} MiB: ", context.interval.step < 0 ? "window" : "step",
                                 change(context.begin_categories, facts.peak.categories, decimals));
  const auto told = reported_changes(facts);
  for (const PeakChange& one : told) {
    if (&one != &context.changes.front()) text += ", ";
    text += fmt::format(
        "{} {}", kind_label(one.category, one.kind),
        signed_mebibytes(static_cast<double>(one.born_bytes) - static_cast<double>(one.freed_bytes),
                         decimals));
  }
  if (const std::size_t more = context.changes.size() - told.size(); more > 0) {
    text += more == 1 ? ", and one kind more" : fmt::format(", and {} kinds more", more);
  }
  return text;
}

std::vector<std::string> place_sentences(const MemoryFacts& facts) {
  const auto& context = facts.peak_context;
  const auto& next = context.next_place;
  const auto& outside = context.outside_phase;
  // If memory ran out, the peak is where the step stopped: its full height is unknown.
  const bool stopped = std::ranges::any_of(
      facts.out_of_memory, [&](const auto& failure) { return failure.held.step == facts.peak.step; });
  if (facts.peak.allocated_bytes == 0 || stopped) return {};
  const int decimals = decimals_for(static_cast<double>(facts.peak.allocated_bytes));
  const auto amount = [&](std::uint64_t bytes) {
    return mebibytes(static_cast<double>(bytes), decimals) + " MiB";
  };
  const auto lower = [&](const HighPlace& place) {
    return amount(facts.peak.allocated_bytes - place.allocated_bytes);
  };
  std::vector<std::string> sentences;
  if (!next) {
    sentences.emplace_back("no other high place in the step");
  } else if (next->allocated_bytes == facts.peak.allocated_bytes) {
    sentences.push_back(fmt::format(
        "lowering this peak alone buys nothing: another place is as high{}{}", where(facts, *next),
        is_in_another_micro_batch(facts, *next) ? ", as in another micro-batch; what lowers both does"
                                                : "; what lowers both does"));
  } else {
    sentences.push_back(
        fmt::format("lowering this peak alone buys at most {}: the second-highest peak is {}{}; what lowers "
                    "both buys more",
                    lower(*next), amount(next->allocated_bytes), where(facts, *next)));
  }
  // Not needed if it is as high as the second-highest peak.
  if (outside && (!next || outside->allocated_bytes != next->allocated_bytes)) {
    // In another micro-batch there may be one as well.
    const char* const which = outside->phase == context.part_of_step ? "this " : "";
    sentences.push_back(fmt::format("outside of {}{} {} {}, {} lower{}", which, context.part_of_step,
                                    what_is_highest(facts, *outside), amount(outside->allocated_bytes),
                                    lower(*outside), where(facts, *outside)));
  }
  return sentences;
}

std::string moment_of(const analysis::OutsideWindow& outside) {
  if (outside.step < 0) return outside.phase.empty() ? "outside of steps" : outside.phase;
  return fmt::format("step {}{}{}", outside.step, outside.phase.empty() ? "" : ", ", outside.phase);
}

std::string outside_window_sentence(const MemoryFacts& facts) {
  const auto outside = analysis::higher_outside_window(facts);
  if (!outside) return {};
  const int decimals = decimals_for(static_cast<double>(outside->allocated_bytes));
  const auto amount = [&](std::uint64_t bytes) { return mebibytes(static_cast<double>(bytes), decimals); };
  std::string text =
      fmt::format("{} MiB outside of the window: {}", amount(outside->allocated_bytes), moment_of(*outside));
  if (outside->reserved_bytes > outside->allocated_bytes)
    text += fmt::format("; {} MiB reserved at most in all of the run", amount(outside->reserved_bytes));
  return text;
}

}  // namespace strata::report
