// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/peak/residue.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "strata/ext/phase.h"

namespace strata::analysis {
namespace {

bool is_optimizer(const PhaseFact* phase) {
  return phase != nullptr && phase->kind == STRATA_PHASE_OPTIMIZER;
}

const Block* larger(const Block* largest, const Block& block) {
  return largest == nullptr || block.bytes > largest->bytes ? &block : largest;
}

}  // namespace

Residue::Residue(const Facts& facts) : facts_(facts) {
  for (const PhaseFact& phase : facts.phases)
    if (is_optimizer(&phase)) optimizers_.push_back(phase.begin_sequence);
}

std::uint64_t Residue::later_from(const Block& block) const {
  if (block.kind != kForwardResidue) return UINT64_MAX;
  const auto later =
      std::ranges::upper_bound(facts_.steps, block.birth_sequence, {}, &StepFact::begin_sequence);
  if (later == facts_.steps.begin() || later == facts_.steps.end()) return UINT64_MAX;
  // What was made before a forward, a teacher's output, its loss compares with: it is gone by then.
  const bool is_of_forward = block.phase != 0 && facts_.phases[block.phase - 1].kind == STRATA_PHASE_FORWARD;
  const auto next = std::ranges::upper_bound(optimizers_, block.birth_sequence);
  const bool outlives_next = optimizers_.end() - next > 1 && block.death_sequence > *(next + 1);
  return is_of_forward || outlives_next ? later->begin_sequence : UINT64_MAX;
}

bool Residue::may_go(const Block& block, std::uint64_t sequence, const PhaseFact* part) const {
  return block.kind == kForwardResidue && (is_optimizer(part) || later_from(block) <= sequence);
}

const Block* Residue::largest(std::uint64_t sequence, const PhaseFact* part) const {
  const Block* largest = nullptr;
  for (const Block& block : facts_.blocks)
    if (block.is_alive_at(sequence) && may_go(block, sequence, part)) largest = larger(largest, block);
  return largest;
}

const Block* largest_residue(std::span<const Block> blocks, std::uint64_t sequence) {
  const Block* largest = nullptr;
  for (const Block& block : blocks)
    if (block.kind == kForwardResidue && block.is_alive_at(sequence)) largest = larger(largest, block);
  return largest;
}

std::string let_go_of(const Facts& facts, const Block& block, std::string_view before) {
  std::string maker = block.op == 0 ? "forward" : facts.texts[block.op];
  if (block.layer != 0) maker += " of " + facts.texts[block.layer];
  return fmt::format("del of what {} made, before {}", maker, before);
}

}  // namespace strata::analysis
