// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/steps/scopes.hpp"

#include <algorithm>
#include <utility>

#include "host/analysis/facts/memory_facts.hpp"
#include "host/analysis/steps/scope_levels.hpp"

namespace strata::analysis {
namespace {

// The first sample is that of the run's begin, before which nothing is allocated.
Scope run_scope(const MemoryFacts& facts) {
  const std::vector<ResidentSample>& samples = facts.samples.resident;
  return {.kind = ScopeKind::kRun,
          .label = "run",
          .begin_sequence = samples.empty() ? 0 : samples.front().sequence,
          .begin_ns = facts.begin_ns,
          .end_ns = facts.end_ns};
}

// From the first step to the last, both included.
Scope scope_of_steps(ScopeKind kind, std::int64_t index, std::string label, const StepFact& first,
                     const StepFact& last, std::int64_t end_of_run_ns) {
  return {.kind = kind,
          .index = index,
          .label = std::move(label),
          .begin_sequence = first.begin_sequence,
          .end_sequence = last.end_sequence,
          .begin_ns = first.begin_ns,
          .end_ns = last.end_ns == INT64_MAX ? std::max(end_of_run_ns, first.begin_ns) : last.end_ns,
          .first_step = first.index,
          .last_step = last.index};
}

// For consecutive steps that are `is_same` as the first of them.
template <typename IsSame, typename Add>
void each_group(const std::vector<StepFact>& steps, const IsSame& is_same, const Add& add) {
  for (auto first = steps.begin(); first != steps.end();) {
    const auto end =
        std::find_if(first, steps.end(), [&](const StepFact& step) { return !is_same(*first, step); });
    add(*first, *std::prev(end));
    first = end;
  }
}

// For thinned steps only the allocator's peaks are known; if a scope contains other steps too, only the
// highest value of all.
void leave_out_thinned(const MemoryFacts& facts, Scope& scope) {
  const auto overlaps = [&](const ThinnedSteps& interval) {
    return interval.begin_sequence <= scope.end_sequence && scope.begin_sequence < interval.end_sequence;
  };
  if (std::ranges::none_of(facts.thinned.intervals, overlaps)) return;
  const bool keeps_levels = scope.kind == ScopeKind::kRun;
  for (const Measure measure : {Measure::kDeviceUsed, Measure::kAllocated, Measure::kReserved,
                                Measure::kRequested, Measure::kResident}) {
    std::optional<ScopeLevels>& levels = scope.of.at(static_cast<std::size_t>(measure));
    const bool is_allocated = measure == Measure::kAllocated, is_reserved = measure == Measure::kReserved;
    if (!keeps_levels || !(is_allocated || is_reserved || measure == Measure::kResident)) levels.reset();
    if (!levels || measure == Measure::kResident) continue;
    for (const StepFact& step : facts.steps) {
      const std::uint64_t peak = is_allocated ? step.peak_allocated_bytes : step.peak_reserved_bytes;
      if (!step.thinned || peak <= levels->peak_bytes) continue;
      levels->peak_bytes = peak;
      levels->peak_ns = is_allocated ? std::optional(step.peak_ns) : std::nullopt;
    }
  }
}

std::vector<Scope> measured(const MemoryFacts& facts, std::vector<Scope> scopes) {
  const LevelLines lines(facts);
  for (Scope& scope : scopes) {
    scope.of = lines.within(scope.begin_sequence, scope.end_sequence);
    for (std::optional<ScopeLevels>& levels : scope.of) {
      if (levels && levels->peak_ns) levels->peak_ns = std::max(*levels->peak_ns, scope.begin_ns);
    }
    leave_out_thinned(facts, scope);
  }
  return scopes;
}

}  // namespace

const char* to_string(Measure measure) {
  static constexpr std::array kNames{"device_used", "reserved", "allocated", "requested", "resident"};
  return kNames.at(static_cast<std::size_t>(measure));
}

const char* to_string(ScopeKind kind) {
  static constexpr std::array kNames{"run", "window", "epoch", "step", "reset"};
  return kNames.at(static_cast<std::size_t>(kind));
}

std::vector<Scope> scopes_of(const MemoryFacts& facts) {
  std::vector<Scope> scopes{run_scope(facts)};
  const auto add = [&](ScopeKind kind, std::int64_t index, std::string label, const StepFact& first,
                       const StepFact& last) {
    scopes.push_back(scope_of_steps(kind, index, std::move(label), first, last, facts.end_ns));
  };
  const auto in_window = [&](const StepFact& step) {
    return step.index >= facts.first_step && step.index <= facts.last_step;
  };
  // The window of a snapshot without steps is its history.
  if (facts.snapshot && facts.steps.empty()) {
    scopes.push_back(scopes.front());
    scopes.back().kind = ScopeKind::kWindow;
    scopes.back().label = "window";
  }
  each_group(
      facts.steps,
      [&](const StepFact& first, const StepFact& step) { return in_window(first) == in_window(step); },
      [&](const StepFact& first, const StepFact& last) {
        if (in_window(first)) add(ScopeKind::kWindow, 0, "window", first, last);
      });
  each_group(
      facts.steps, [](const StepFact& first, const StepFact& step) { return first.epoch == step.epoch; },
      [&](const StepFact& first, const StepFact& last) {
        if (first.epoch >= 0)
          add(ScopeKind::kEpoch, first.epoch, "epoch " + std::to_string(first.epoch), first, last);
      });
  for (const StepFact& step : facts.steps)
    add(ScopeKind::kStep, step.index, "step " + std::to_string(step.index), step, step);
  return measured(facts, std::move(scopes));
}

std::vector<Scope> scopes_since(const MemoryFacts& facts, std::vector<PeakReset> resets) {
  std::ranges::stable_sort(resets, {}, &PeakReset::sequence);
  std::vector<Scope> scopes;
  for (std::size_t index = 0; index < resets.size(); ++index) {
    const PeakReset& reset = resets[index];
    const bool is_last = index + 1 == resets.size();
    scopes.push_back({.kind = ScopeKind::kReset,
                      .index = static_cast<std::int64_t>(index) + 1,
                      .label = "since " + reset.label,
                      .begin_sequence = reset.sequence,
                      .end_sequence = is_last ? UINT64_MAX : resets[index + 1].sequence,
                      .begin_ns = reset.ns,
                      .end_ns = is_last ? facts.end_ns : resets[index + 1].ns});
  }
  return measured(facts, std::move(scopes));
}

}  // namespace strata::analysis
