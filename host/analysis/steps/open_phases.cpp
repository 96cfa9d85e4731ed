// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/steps/open_phases.hpp"

#include <algorithm>

#include "strata/ext/phase.h"

namespace strata::analysis {
namespace {

bool is_pass(std::uint32_t kind) {
  return kind == STRATA_PHASE_FORWARD || kind == STRATA_PHASE_BACKWARD;
}

}  // namespace

const PhaseFact* open_phase(const std::vector<PhaseFact>& phases, std::uint32_t kind,
                            std::uint64_t sequence) {
  const auto found = std::ranges::find_if(
      phases, [&](const PhaseFact& phase) { return phase.kind == kind && phase.is_open_at(sequence); });
  return found == phases.end() ? nullptr : &*found;
}

bool has_begun(const std::vector<PhaseFact>& phases, std::uint32_t kind, std::uint64_t sequence) {
  return std::ranges::any_of(
      phases, [&](const PhaseFact& phase) { return phase.kind == kind && phase.begin_sequence <= sequence; });
}

bool has_gone_forward(const std::vector<PhaseFact>& phases, std::uint64_t sequence) {
  return has_begun(phases, STRATA_PHASE_FORWARD, sequence);
}

bool has_gone_backward(const std::vector<PhaseFact>& phases, std::uint64_t sequence) {
  return has_begun(phases, STRATA_PHASE_BACKWARD, sequence);
}

OpenPhases::OpenPhases(const std::vector<PhaseFact>& phases) : phases_(phases) {
  around_.reserve(phases.size());
  std::vector<Index> open;
  for (Index index = 0; index < phases.size(); ++index) {
    // Phases closed here are closed at all later begins too.
    while (!open.empty() && phases[open.back()].end_sequence <= phases[index].begin_sequence) open.pop_back();
    around_.push_back(open.empty() ? kNone : open.back());
    open.push_back(index);
  }
}

std::optional<OpenPhases::Index> OpenPhases::around(Index phase) const {
  return around_[phase] == kNone ? std::nullopt : std::optional(around_[phase]);
}

std::optional<OpenPhases::Index> OpenPhases::innermost(std::uint64_t sequence) const {
  const auto after = std::ranges::upper_bound(phases_, sequence, {}, &PhaseFact::begin_sequence);
  if (after == phases_.begin()) return std::nullopt;
  // A phase that is open now and began before a closed one was open when that one began.
  std::optional<Index> phase = static_cast<Index>(after - phases_.begin() - 1);
  while (phase && phases_[*phase].end_sequence <= sequence) phase = around(*phase);
  return phase;
}

std::optional<OpenPhases::Index> OpenPhases::part_of_step(std::uint64_t sequence) const {
  const std::optional<Index> inner = innermost(sequence);
  std::optional<Index> part = inner;
  for (std::optional<Index> outer = inner; outer; outer = around(*outer)) {
    const PhaseFact& phase = phases_[*outer];
    if (phase.kind == STRATA_PHASE_OPTIMIZER && is_pass(phases_[*part].kind)) break;
    if (phase.kind != STRATA_PHASE_OTHER && phase.end_sequence > sequence) part = outer;
  }
  return part;
}

}  // namespace strata::analysis
