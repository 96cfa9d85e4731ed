// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/peak/used_gradients.hpp"

#include <algorithm>

#include "host/analysis/facts/memory_facts.hpp"
#include "host/analysis/steps/open_phases.hpp"
#include "strata/ext/phase.h"

namespace strata::analysis {

std::uint64_t used_gradient_bytes(const MemoryFacts& facts, std::uint64_t sequence) {
  const auto part = OpenPhases(facts.phases).part_of_step(sequence);
  if (!part) return 0;
  const std::uint32_t kind = facts.phases[*part].kind;
  if (kind != STRATA_PHASE_FORWARD && kind != STRATA_PHASE_LOSS && kind != STRATA_PHASE_BACKWARD) return 0;
  std::uint64_t used_until = 0;  // the end of the last optimizer
  for (const PhaseFact& phase : facts.phases)
    if (phase.kind == STRATA_PHASE_OPTIMIZER && phase.end_sequence <= sequence)
      used_until = std::max(used_until, phase.end_sequence);
  std::uint64_t used = 0, written = 0;
  for (const Block& block : facts.blocks) {
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
