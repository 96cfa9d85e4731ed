// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/live/live_phases.hpp"

#include <algorithm>

namespace strata::analysis {

void LivePhases::begin(LivePhase phase) {
  const LivePhase* const around = find(phase.parent);
  phase.stage = stage_of_kind(phase.kind);
  if (around != nullptr) phase.stage = nested(phase.stage, around->stage);
  if (!phases_.emplace(phase.ordinal, phase).second) return;
  open_.insert(phase.ordinal);
  if (phase.stage == Stage::kBackward) {
    Backward& backward = backwards_[{phase.step, phase.micro_batch}];
    backward.begin_sequence = std::min(backward.begin_sequence, phase.begin_sequence);
    ++backward.open;
  }
  if (const auto early = early_ends_.find(phase.ordinal); early != early_ends_.end()) {
    const std::uint64_t sequence = early->second;
    early_ends_.erase(early);
    end(phase.ordinal, sequence);
  }
}

void LivePhases::end(std::uint32_t ordinal, std::uint64_t sequence) {
  const auto found = phases_.find(ordinal);
  if (found == phases_.end()) {
    early_ends_.emplace(ordinal, sequence);
    return;
  }
  if (open_.erase(ordinal) == 0) return;
  LivePhase& phase = found->second;
  phase.end_sequence = sequence;
  if (phase.stage != Stage::kBackward) return;
  Backward& backward = backwards_[{phase.step, phase.micro_batch}];
  backward.end_sequence = std::max(backward.end_sequence, sequence);
  --backward.open;
}

const LivePhase* LivePhases::open() const {
  return open_.empty() ? nullptr : find(*open_.rbegin());
}

const LivePhase* LivePhases::find(std::uint32_t ordinal) const {
  const auto found = phases_.find(ordinal);
  return found == phases_.end() ? nullptr : &found->second;
}

Evidence LivePhases::evidence_of_birth_in(std::uint32_t ordinal) const {
  Evidence evidence;
  evidence.run_finished = false;
  const LivePhase* const phase = find(ordinal);
  if (phase == nullptr) return evidence;
  evidence.birth = phase->begin_sequence;
  evidence.stage = phase->stage;
  evidence.phase_end = phase->end_sequence;
  const bool has_pass = phase->stage == Stage::kForward || phase->stage == Stage::kRecompute ||
                        phase->stage == Stage::kBackward;
  const auto backward = backwards_.find({phase->step, phase->micro_batch});
  if (has_pass && backward != backwards_.end()) {
    evidence.backward_begin = backward->second.begin_sequence;
    if (backward->second.open == 0) evidence.backward_end = backward->second.end_sequence;
  }
  return evidence;
}

void LivePhases::forget_before(std::int64_t ns, const std::set<std::uint32_t>& used) {
  std::set<Pass> passes;
  std::erase_if(phases_, [&](const auto& entry) {
    const LivePhase& phase = entry.second;
    const bool is_kept = phase.begin_ns >= ns || phase.end_sequence == kNever || used.contains(entry.first);
    if (is_kept) passes.insert({phase.step, phase.micro_batch});
    return !is_kept;
  });
  std::erase_if(backwards_, [&](const auto& entry) { return !passes.contains(entry.first); });
  constexpr std::size_t kMostEarlyEnds = 4096;  // in a damaged store without their begins
  if (early_ends_.size() > kMostEarlyEnds) early_ends_.clear();
}

}  // namespace strata::analysis
