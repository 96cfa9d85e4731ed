// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/time/step_moments.hpp"

#include <algorithm>

#include "host/analysis/recording/recording.hpp"

namespace strata::analysis {

StepMoments::StepMoments(const Recording& run) : run_(run), around_(run.phases.size(), kNone) {
  std::vector<Index> open;
  const auto close_until = [&](std::int64_t ns) {
    while (!open.empty() && phase(open.back()).end_ns <= ns) {
      const std::int64_t end_ns = phase(open.back()).end_ns;
      open.pop_back();
      changes_.push_back({end_ns, open.empty() ? kNone : open.back()});
    }
  };
  for (Index index = 0; index < run.phases.size(); ++index) {
    const std::int64_t begin_ns = phase(index).begin_ns;
    close_until(begin_ns);
    around_[index] = open.empty() ? kNone : open.back();
    changes_.push_back({begin_ns, index});
    open.push_back(index);
  }
  close_until(INT64_MAX);
  // Only in a damaged store does a phase outlive its parent.
  std::ranges::stable_sort(changes_, {}, &Change::begin_ns);
}

std::optional<StepMoments::Index> StepMoments::phase_at(std::int64_t ns) const {
  const auto next = std::ranges::upper_bound(changes_, ns, {}, &Change::begin_ns);
  if (next == changes_.begin() || std::prev(next)->innermost == kNone) return std::nullopt;
  return std::prev(next)->innermost;
}

std::optional<StepMoments::Index> StepMoments::step_at(std::int64_t ns) const {
  const auto next = std::ranges::upper_bound(run_.steps, ns, {}, &StepRow::begin_ns);
  if (next == run_.steps.begin()) return std::nullopt;
  const auto index = static_cast<Index>(std::prev(next) - run_.steps.begin());
  return ns < step(index).end_ns ? std::optional(index) : std::nullopt;
}

// Ordinals count up from 1 in the order in which phases begin, but a store may lack some.
std::optional<StepMoments::Index> StepMoments::phase_of_ordinal(std::uint32_t ordinal) const {
  if (ordinal == 0) return std::nullopt;
  const auto found = std::ranges::lower_bound(run_.phases, ordinal, {}, &PhaseRow::ordinal);
  if (found == run_.phases.end() || found->ordinal != ordinal) return std::nullopt;
  return static_cast<Index>(found - run_.phases.begin());
}

std::optional<StepMoments::Index> StepMoments::around(Index phase) const {
  return around_[phase] == kNone ? std::nullopt : std::optional(around_[phase]);
}

Interval StepMoments::phase(Index phase) const {
  const PhaseRow& row = run_.phases[phase];
  return {row.begin_ns, std::min(row.end_ns, std::max(run_.end_ns, row.begin_ns))};
}

Interval StepMoments::step(Index step) const {
  const StepRow& row = run_.steps[step];
  return {row.begin_ns, std::min({row.end_ns, row.worked_until_ns, std::max(run_.end_ns, row.begin_ns)})};
}

}  // namespace strata::analysis
