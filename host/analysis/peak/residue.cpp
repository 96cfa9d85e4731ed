// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/peak/residue.hpp"

#include <algorithm>

#include "host/analysis/facts/memory_facts.hpp"
#include "host/analysis/peak/block_roles.hpp"
#include "strata/ext/phase.h"

namespace strata::analysis {
namespace {

bool is_of_kind(const PhaseFact* phase, std::uint32_t kind) {
  return phase != nullptr && phase->kind == kind;
}

bool is_of_forward(const MemoryFacts& facts, const Block& block) {
  return block.phase != 0 && facts.phases[block.phase - 1].kind == STRATA_PHASE_FORWARD;
}

// Between phases, or in an evaluation: nothing there uses blocks left by a training's forward.
bool is_outside_of_training(const PhaseFact* part) {
  return part == nullptr || is_of_kind(part, STRATA_PHASE_EVALUATION);
}

const Block* larger(const Block* largest, const Block& block) {
  return largest == nullptr || block.bytes > largest->bytes ? &block : largest;
}

}  // namespace

LaterSteps::LaterSteps(const MemoryFacts& facts) : facts_(facts) {
  for (const PhaseFact& phase : facts.phases)
    if (is_of_kind(&phase, STRATA_PHASE_OPTIMIZER)) optimizers_.push_back(phase.begin_sequence);
}

std::uint64_t LaterSteps::begin_for(const Block& block) const {
  if (block.kind != BlockKind::kForwardResidue) return UINT64_MAX;
  const auto later =
      std::ranges::upper_bound(facts_.steps, block.birth_sequence, {}, &StepFact::begin_sequence);
  if (later == facts_.steps.begin() || later == facts_.steps.end()) return UINT64_MAX;
  // A block made before a forward, such as a teacher's output, is used by the loss and freed by then.
  const auto next = std::ranges::upper_bound(optimizers_, block.birth_sequence);
  const bool outlives_next = optimizers_.end() - next > 1 && block.death_sequence > *(next + 1);
  return is_of_forward(facts_, block) || outlives_next ? later->begin_sequence : UINT64_MAX;
}

std::uint64_t LaterSteps::optimizer_behind(const Block& block) const {
  if (block.kind != BlockKind::kForwardResidue || !is_of_forward(facts_, block)) return UINT64_MAX;
  const auto next = std::ranges::upper_bound(optimizers_, block.birth_sequence);
  return next == optimizers_.end() ? UINT64_MAX : *next;
}

Residue::Residue(const MemoryFacts& facts)
    : facts_(facts), later_steps_(facts), is_softened_(logits_and_alike(facts)) {
  for (std::size_t index = 0; index < facts.blocks.size(); ++index) {
    const Block& block = facts.blocks[index];
    is_softened_[index] =
        is_softened_[index] && is_of_forward(facts, block) && facts.texts[block.op] != "aten::_log_softmax";
  }
}

bool Residue::is_softened(const Block& block) const {
  return is_softened_[static_cast<std::size_t>(&block - facts_.blocks.data())];
}

MayGo Residue::may_go(const Block& block, std::uint64_t sequence, const PhaseFact* part) const {
  if (block.kind != BlockKind::kForwardResidue) return MayGo::kNotYet;
  if (later_steps_.begin_for(block) <= sequence) return MayGo::kBeforeNextStep;
  const bool is_behind = is_outside_of_training(part) && later_steps_.optimizer_behind(block) <= sequence;
  if (is_behind || is_of_kind(part, STRATA_PHASE_OPTIMIZER)) return MayGo::kBeforeOptimizer;
  const bool is_before_backward = is_of_kind(part, STRATA_PHASE_BACKWARD) && is_softened(block);
  return is_before_backward ? MayGo::kBeforeBackward : MayGo::kNotYet;
}

const Block* largest_residue(std::span<const Block> blocks, std::uint64_t sequence) {
  const Block* largest = nullptr;
  for (const Block& block : blocks)
    if (block.kind == BlockKind::kForwardResidue && block.is_alive_at(sequence))
      largest = larger(largest, block);
  return largest;
}

}  // namespace strata::analysis
