// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/attribution/step_structure.hpp"

#include <algorithm>

#include "host/analysis/recording/recording.hpp"

namespace strata::analysis {
StepStructure::StepStructure(const Recording& run) : run_(run) {
  place_phases();
  pair_passes();
}

void StepStructure::place_phases() {
  stages_.reserve(run_.phases.size());
  for (const PhaseRow& phase : run_.phases) {
    Stage stage = stage_of_kind(phase.kind);
    std::uint32_t depth = 0;
    // A parent begins before its child, so it is already in the index.
    if (const auto parent = index_.find(phase.parent); parent != index_.end()) {
      stage = nested(stage, stages_[parent->second]);
      depth = depths_[parent->second] + 1;
    }
    index_.emplace(phase.ordinal, static_cast<std::uint32_t>(stages_.size()));
    stages_.push_back(stage);
    depths_.push_back(depth);
    if (stage == Stage::kOptimizer) optimizers_.push_back({phase.begin_sequence, phase.end_sequence});
  }
}

// Backwards that no forward divides go through the graphs of the same forwards: of two losses, or of one
// twice.
Pass& StepStructure::backward_pass(const PhaseRow& phase) {
  const bool goes_on = !passes_.empty() && passes_.back().step == phase.step &&
                       passes_.back().micro_batch == phase.micro_batch;
  return goes_on ? passes_.back() : open_pass(phase);
}

Pass& StepStructure::open_pass(const PhaseRow& phase) {
  const bool same = !passes_.empty() && passes_.back().step == phase.step &&
                    passes_.back().micro_batch == phase.micro_batch && !passes_.back().has_backward();
  if (!same) passes_.push_back({.step = phase.step, .micro_batch = phase.micro_batch});
  return passes_.back();
}

std::uint32_t StepStructure::pass_of(std::size_t row) {
  const PhaseRow& phase = run_.phases[row];
  const Stage stage = stages_[row];
  const auto parent = find_phase(phase.parent);
  if (parent && (stages_[*parent] == stage || stage == Stage::kRecompute)) return pass_of_phase_[*parent];
  if (stage == Stage::kForward) {
    Pass& pass = open_pass(phase);
    pass.forward_begin = std::min(pass.forward_begin, phase.begin_sequence);
    pass.forward_end = std::max(pass.forward_end, phase.end_sequence);
  } else if (stage == Stage::kBackward) {
    Pass& pass = backward_pass(phase);
    pass.backward_begin = std::min(pass.backward_begin, phase.begin_sequence);
    pass.backward_end = phase.end_sequence;
  } else {
    return kNone;
  }
  return static_cast<std::uint32_t>(passes_.size() - 1);
}

void StepStructure::pair_passes() {
  pass_of_phase_.assign(run_.phases.size(), kNone);
  for (std::size_t row = 0; row < run_.phases.size(); ++row) pass_of_phase_[row] = pass_of(row);
  for (const Pass& pass : passes_) pass_begins_.push_back(std::min(pass.forward_begin, pass.backward_begin));
}

std::optional<std::size_t> StepStructure::find_phase(std::uint32_t ordinal) const {
  const auto found = index_.find(ordinal);
  return found == index_.end() ? std::nullopt : std::optional<std::size_t>(found->second);
}

Moment StepStructure::at(std::uint64_t sequence, std::uint32_t ordinal) const {
  Moment moment;
  if (const auto row = find_phase(ordinal)) {
    const std::uint32_t pass = pass_of_phase_[*row];
    moment = {stages_[*row], &run_.phases[*row], pass == kNone ? nullptr : &passes_[pass]};
    if (moment.stage != Stage::kOther) return moment;
  }
  if (sequence < first_step_begin()) return {Stage::kSetup, moment.phase, nullptr};
  // The time between a forward and its backward, or between two parts of a forward, belongs to the forward.
  const auto after = std::upper_bound(pass_begins_.begin(), pass_begins_.end(), sequence);
  if (after == pass_begins_.begin()) return moment;
  const Pass& pass = passes_[static_cast<std::size_t>(after - pass_begins_.begin() - 1)];
  return sequence < pass.forward_over() ? Moment{Stage::kForward, moment.phase, &pass} : moment;
}

std::uint64_t StepStructure::step_end(std::uint64_t sequence) const {
  const auto later = std::upper_bound(
      run_.steps.begin(), run_.steps.end(), sequence,
      [](std::uint64_t moment, const StepRow& step) { return moment < step.begin_sequence; });
  if (later != run_.steps.begin() && sequence < std::prev(later)->end_sequence)
    return std::prev(later)->end_sequence;
  return later != run_.steps.end() ? later->begin_sequence : kNever;
}

std::uint64_t StepStructure::first_step_begin() const {
  return run_.steps.empty() ? kNever : run_.steps.front().begin_sequence;
}

const Pass* StepStructure::next_pass(std::uint64_t sequence) const {
  const auto after = std::upper_bound(pass_begins_.begin(), pass_begins_.end(), sequence);
  if (after == pass_begins_.end()) return nullptr;
  return &passes_[static_cast<std::size_t>(after - pass_begins_.begin())];
}

Extent StepStructure::next_optimizer(std::uint64_t sequence) const {
  const auto next =
      std::upper_bound(optimizers_.begin(), optimizers_.end(), sequence,
                       [](std::uint64_t moment, const Extent& phase) { return moment < phase.begin; });
  return next == optimizers_.end() ? Extent{} : *next;
}

}  // namespace strata::analysis
