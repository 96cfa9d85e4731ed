// SPDX-License-Identifier: Apache-2.0
// Blocks made by a forward that a program still holds after its backward, such as the logits in a variable.
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

// When the step that follows a block's own begins, in which nothing needs it any more.
class LaterSteps {
 public:
  // Uses the steps and phases of `facts`, which must outlive this.
  explicit LaterSteps(const MemoryFacts& facts);

  // For a block left by a forward: the sequence from which steps are later ones; UINT64_MAX if there is none,
  // or if they may use it.
  std::uint64_t begin_for(const Block& block) const;
  // For a block left by a forward of training: the begin of the optimizer by which its backward has ended;
  // UINT64_MAX if there is none, or if the program made it elsewhere.
  std::uint64_t optimizer_behind(const Block& block) const;

 private:
  const MemoryFacts& facts_;
  std::vector<std::uint64_t> optimizers_;  // begin of each
};

// Blocks that only the program needs. A variable that is assigned the next result at the end of a forward
// holds the previous one until then.
class Residue {
 public:
  // Uses the blocks, texts, steps and phases of `facts`, which must outlive this.
  explicit Residue(const MemoryFacts& facts);

  // `part` is the part of the step that contains `sequence`; null outside of any.
  MayGo may_go(const Block& block, std::uint64_t sequence, const PhaseFact* part) const;

 private:
  bool is_softened(const Block& block) const;

  const MemoryFacts& facts_;
  LaterSteps later_steps_;
  // By block: whether a softmax uses it as logits and keeps its own result for backward.
  std::vector<bool> is_softened_;
};

// The largest of these that is alive then, the first if there are several; null if there is none.
const Block* largest_residue(std::span<const Block> blocks, std::uint64_t sequence);

}  // namespace strata::analysis
