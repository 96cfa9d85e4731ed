// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/peak/evaluations.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "host/analysis/facts/memory_facts.hpp"
#include "host/analysis/layers/module_path.hpp"
#include "host/analysis/peak/block_roles.hpp"
#include "host/analysis/peak/residue.hpp"
#include "host/analysis/recording/structure_rows.hpp"
#include "host/analysis/steps/open_phases.hpp"
#include "strata/ext/phase.h"

namespace strata::analysis {
namespace {

bool is_of_training(const PhaseFact& phase) {
  switch (phase.kind) {
    case STRATA_PHASE_FORWARD:
    case STRATA_PHASE_LOSS:
    case STRATA_PHASE_BACKWARD:
    case STRATA_PHASE_OPTIMIZER:
      return true;
    default:
      return false;
  }
}

// Made by the module that runs when a gap has ended, or by an enclosing one: it belongs to the forward after
// the gap, whose ids and masks, and DistributedDataParallel's buffers and buckets, are made before anything
// that needs a gradient. An evaluation of the model has layers of its own.
bool is_of_forward_behind(const MemoryFacts& facts, const Block& block, std::uint64_t end) {
  if (block.layer == 0) return false;
  const auto told =
      std::ranges::find_if(std::ranges::lower_bound(facts.blocks, end, {}, &Block::birth_sequence),
                           facts.blocks.end(), [](const Block& next) { return next.layer != 0; });
  if (told == facts.blocks.end()) return false;
  const std::string_view around = facts.texts[block.layer];
  return around == kModelItself || is_within(facts.texts[told->layer], around);
}

}  // namespace

// The time between a forward and its backward belongs to the forward.
Evaluations::Evaluations(const MemoryFacts& facts) : facts_(facts), gaps_{{}} {
  bool is_open = true;
  for (const PhaseFact& phase : facts.phases) {
    const bool is_data = phase.kind == STRATA_PHASE_DATA;
    if (!is_data && !is_of_training(phase)) continue;
    if (is_open) gaps_.back().end = phase.begin_sequence;
    is_open = phase.kind != STRATA_PHASE_FORWARD && phase.kind != STRATA_PHASE_LOSS;
    // An optimizer with a closure continues after the closure's phases.
    if (is_open) gaps_.push_back({.begin = std::max(phase.end_sequence, gaps_.back().begin)});
  }
  const LaterSteps later_steps(facts);
  for (const Block& block : facts.blocks) {
    const bool is_residue = block.kind == BlockKind::kForwardResidue;
    const bool is_temporary = block.kind == BlockKind::kOpTemp && is_computed_by_model(facts, block);
    Gap* const gap =
        block.phase == 0 && (is_residue || is_temporary) ? gap_at(block.birth_sequence) : nullptr;
    // Setting up a model may involve a matrix product.
    if (gap == nullptr || (gap == &gaps_.front() && block.layer == 0)) continue;
    if (is_of_forward_behind(facts, block, gap->end)) continue;
    gap->computes = true;
    if (is_residue && gap->end != UINT64_MAX && block.is_alive_at(gap->end))
      gap->serves_next = gap->serves_next || later_steps.begin_for(block) == UINT64_MAX;
  }
}

bool Evaluations::made(const Block& block) const {
  if (block.kind != BlockKind::kForwardResidue && block.kind != BlockKind::kOpTemp) return false;
  if (block.phase != 0) return facts_.phases[block.phase - 1].kind == STRATA_PHASE_EVALUATION;
  const Gap* const gap = gap_at(block.birth_sequence);
  return gap != nullptr && gap->computes && !gap->serves_next;
}

std::string_view Evaluations::phase_at(std::uint64_t sequence) const {
  const Gap* const gap = gap_at(sequence);
  return gap != nullptr && gap->computes && !gap->serves_next ? "evaluation" : "";
}

const Evaluations::Gap* Evaluations::gap_at(std::uint64_t sequence) const {
  const auto behind = std::ranges::upper_bound(gaps_, sequence, {}, &Gap::begin);
  if (behind == gaps_.begin()) return nullptr;
  const Gap& gap = *(behind - 1);
  return sequence < gap.end ? &gap : nullptr;
}

Evaluations::Gap* Evaluations::gap_at(std::uint64_t sequence) {
  const Gap* const gap = std::as_const(*this).gap_at(sequence);
  return gap == nullptr ? nullptr : &gaps_[static_cast<std::size_t>(gap - gaps_.data())];
}

}  // namespace strata::analysis
