// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/peak/used_gradients.hpp"

#include <algorithm>

#include "host/analysis/facts/memory_facts.hpp"
#include "host/analysis/steps/open_phases.hpp"
#include "strata/ext/phase.h"

namespace strata::analysis {

UsedGradients::UsedGradients(const MemoryFacts& facts) : facts_(facts) {
  for (const PhaseFact& phase : facts.phases)
    if (phase.kind == STRATA_PHASE_OPTIMIZER && phase.end_sequence != UINT64_MAX)
      optimizer_ends_.push_back(phase.end_sequence);
  std::ranges::sort(optimizer_ends_);
}

std::uint64_t UsedGradients::bytes_at(std::uint64_t sequence) const {
  const OpenPhases phases(facts_.phases);
  const auto part = phases.part_of_step(sequence);
  if (!part) return 0;
  const std::uint32_t kind = facts_.phases[*part].kind;
  if (kind != STRATA_PHASE_FORWARD && kind != STRATA_PHASE_LOSS && kind != STRATA_PHASE_BACKWARD) return 0;
  const auto next = std::ranges::upper_bound(optimizer_ends_, sequence);
  if (next == optimizer_ends_.begin()) return 0;
  const std::uint64_t used_until = *std::prev(next);
  std::uint64_t used = 0, written = 0;
  for (const Block& block : facts_.blocks) {
    if (block.kind == BlockKind::kGradient && block.birth_sequence < used_until &&
        block.is_alive_at(sequence))
      used += block.bytes;
    // A gradient that is added to an earlier one.
    if (block.kind == BlockKind::kAccumulateTemp && block.birth_sequence > used_until &&
        block.death_sequence <= sequence)
      written += block.bytes;
  }
  return used - std::min(used, written);
}

}  // namespace strata::analysis
