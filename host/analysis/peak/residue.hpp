// SPDX-License-Identifier: Apache-2.0
// What a forward made and a program still holds behind its backward, as the logits in a variable.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "host/analysis/facts/block.hpp"
#include "host/analysis/facts/finding.hpp"
#include "host/analysis/facts/phase.hpp"

namespace strata::analysis {

struct MemoryFacts;

inline constexpr std::string_view kForwardResidue = "forward_residue";

// When the step that follows a block's own begins, in which nothing needs it any more.
class LaterSteps {
 public:
  // Looks at the steps and phases of `facts`, which must outlive this.
  explicit LaterSteps(const MemoryFacts& facts);

  // Of one that a forward left behind: the sequence from which on steps are later ones; UINT64_MAX: none is,
  // or they may compute with it.
  std::uint64_t begin_for(const Block& block) const;
  // Of one that a forward of a training left behind: where the optimizer begins by which its backward has
  // ended; UINT64_MAX: none does, or a program made it elsewhere.
  std::uint64_t optimizer_behind(const Block& block) const;

 private:
  const MemoryFacts& facts_;
  std::vector<std::uint64_t> optimizers_;  // where each begins
};

// What nothing but the program needs. A variable that is given the next result at the end of a forward holds
// the last one until then.
class Residue {
 public:
  // Looks at the blocks, texts, steps and phases of `facts`, which must outlive this.
  explicit Residue(const MemoryFacts& facts);

  // `sequence` is in the part of a step `part`; null outside of any.
  MayGo may_go(const Block& block, std::uint64_t sequence, const PhaseFact* part) const;

 private:
  bool is_softened(const Block& block) const;

  const MemoryFacts& facts_;
  LaterSteps later_steps_;
  // By block: whether a softmax of logits is made of it, which keeps its own result for backward.
  std::vector<bool> is_softened_;
};

// The largest of them that is alive then, the first of several; null without one.
const Block* largest_residue(std::span<const Block> blocks, std::uint64_t sequence);

}  // namespace strata::analysis
