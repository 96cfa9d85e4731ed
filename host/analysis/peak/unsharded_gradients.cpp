// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/peak/unsharded_gradients.hpp"

#include <algorithm>
#include <set>
#include <vector>

#include "host/analysis/facts/memory_facts.hpp"
#include "host/analysis/memory/alive.hpp"
#include "strata/ext/phase.h"

namespace strata::analysis {
namespace {

// FullyShardedDataParallel gathers into one storage again and again, which is a parameter's the first time.
bool is_gathered(const MemoryFacts& facts, const Block& block) {
  return block.reason == Reason::kGathered ||
         (block.category != Category::kGradient &&
          facts.texts[block.op].starts_with("FullyShardedDataParallel._pre_"));
}

class Backwards {
 public:
  explicit Backwards(const std::vector<PhaseFact>& phases) {
    for (const PhaseFact& phase : phases) {
      if (phase.kind == STRATA_PHASE_OPTIMIZER) optimizers_.push_back(phase.begin_sequence);
      const bool is_nested = !all_.empty() && phase.begin_sequence < all_.back()->end_sequence;
      if (phase.kind == STRATA_PHASE_BACKWARD && !is_nested) all_.push_back(&phase);
    }
  }

  // Null outside of any.
  const PhaseFact* at(std::uint64_t sequence) const {
    const auto next = std::ranges::upper_bound(all_, sequence, {}, &PhaseFact::begin_sequence);
    return next != all_.begin() && sequence <= (*(next - 1))->end_sequence ? *(next - 1) : nullptr;
  }

  bool has_one_ended_in_life_of(const Block& block) const {
    return std::ranges::any_of(all_, [&](const PhaseFact* backward) {
      return backward->end_sequence > block.birth_sequence && backward->end_sequence < block.death_sequence;
    });
  }

  // Whether one that began after `backward` frees it, or the run ended before that and before an optimizer.
  bool frees_later(const Block& block, const PhaseFact& backward) const {
    if (block.death_sequence <= backward.end_sequence) return false;
    if (at(block.death_sequence) != nullptr) return true;
    const auto optimizer = std::ranges::upper_bound(optimizers_, backward.end_sequence);
    const bool is_last = all_.back() == &backward || all_.back()->end_sequence == UINT64_MAX;
    return is_last && optimizer == optimizers_.end();
  }

 private:
  std::vector<const PhaseFact*> all_;  // none inside another
  std::vector<std::uint64_t> optimizers_;
};

}  // namespace

std::uint64_t kept_gathered_bytes(const MemoryFacts& facts, std::uint64_t sequence) {
  const Backwards backwards(facts.phases);
  std::uint64_t bytes = 0;
  for (const Block& block : facts.blocks) {
    if (block.reason == Reason::kGathered && block.is_alive_at(sequence) &&
        backwards.has_one_ended_in_life_of(block))
      bytes += block.bytes;
  }
  return bytes;
}

std::uint64_t unsharded_gradient_bytes(const MemoryFacts& facts, std::uint64_t sequence) {
  std::set<std::uint64_t> whole;
  for (const Block& block : facts.blocks)
    if (is_gathered(facts, block)) whole.insert(requested_bytes(block));
  if (whole.empty()) return 0;
  const Backwards backwards(facts.phases);
  std::uint64_t bytes = 0;
  for (const Block& block : facts.blocks) {
    if (block.kind != BlockKind::kGradient || block.reason == Reason::kShardedGradient ||
        !block.is_alive_at(sequence))
      continue;
    const std::uint64_t requested = requested_bytes(block);
    if (!whole.contains(requested) && (requested % 2 != 0 || !whole.contains(requested / 2))) continue;
    const PhaseFact* const backward = backwards.at(block.birth_sequence);
    if (backward != nullptr && backwards.frees_later(block, *backward)) bytes += block.bytes;
  }
  return bytes;
}

}  // namespace strata::analysis
