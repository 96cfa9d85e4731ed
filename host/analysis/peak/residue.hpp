// SPDX-License-Identifier: Apache-2.0
// What a forward made and a program still holds behind its backward, as the logits in a variable.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "host/analysis/facts.hpp"
#include "host/analysis/peak/unused_graphs.hpp"

namespace strata::analysis {

inline constexpr std::string_view kForwardResidue = "forward_residue";

// From when on a program may let go of one.
enum class MayGo : std::uint8_t {
  kNotYet,
  kBeforeBackward,   // logits, of which a softmax has kept what its backward needs
  kBeforeOptimizer,  // behind its backward
  kBeforeNextStep,   // in a later step than its own
};

// When the step that follows a block's own begins, in which nothing needs it any more.
class LaterSteps {
 public:
  // Looks at the steps and phases of `facts`, which must outlive this.
  explicit LaterSteps(const Facts& facts);

  // Of one that a forward left behind: the sequence from which on steps are later ones; UINT64_MAX: none is,
  // or they may compute with it.
  std::uint64_t begin_for(const Block& block) const;
  // Of one that a forward of a training left behind: where the optimizer begins by which its backward has
  // ended; UINT64_MAX: none does, or a program made it elsewhere.
  std::uint64_t optimizer_behind(const Block& block) const;

 private:
  const Facts& facts_;
  std::vector<std::uint64_t> optimizers_;  // where each begins
};

// Between phases, or in an evaluation: nothing there computes with what a training's forward left behind.
bool is_outside_of_training(const PhaseFact* part);

// What nothing but the program needs. A variable that is given the next result at the end of a forward holds
// the last one until then.
class Residue {
 public:
  // Looks at the blocks, texts, steps and phases of `facts`, which must outlive this.
  explicit Residue(const Facts& facts);

  // `sequence` is in the part of a step `part`; null outside of any.
  MayGo may_go(const Block& block, std::uint64_t sequence, const PhaseFact* part) const;
  const LaterSteps& later_steps() const { return later_steps_; }
  // Whether a softmax of logits is made of it, which keeps its own result for backward. Where a backward was
  // cut short nobody sees that the program holds them on; that it did in an earlier step tells.
  bool is_softened(const Block& block) const;
  // By block: as large as the logits, and of the loss.
  const std::vector<bool>& logits() const { return is_logits_; }
  // The largest that may go then and is of no graph, the first of several; null without one.
  const Block* largest(std::uint64_t sequence, const PhaseFact* part, const UnusedGraphs& unused) const;

 private:
  const Facts& facts_;
  LaterSteps later_steps_;
  std::vector<bool> is_logits_, is_softened_;  // by block
};

// The largest of them that is alive then, the first of several; null without one.
const Block* largest_residue(std::span<const Block> blocks, std::uint64_t sequence);

// "del of what aten::mm of out made, before optimizer.step()", or before another moment.
std::string let_go_of(const Facts& facts, const Block& block, MayGo when = MayGo::kBeforeOptimizer);

}  // namespace strata::analysis
