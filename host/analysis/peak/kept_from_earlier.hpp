// SPDX-License-Identifier: Apache-2.0
// Blocks that consecutive forwards leave behind because a program holds them: losses and outputs in a list,
// and with them everything that their graphs keep for a backward that never runs.
//
// Such a block outlives the step after its own, and is not freed in a backward. There are others of the same
// operator and module, from at least three forwards, alive at once, and all are freed together or not at all.
// In a queue, one is freed for each new one, so it does not grow.
#pragma once

#include <cstdint>
#include <vector>

#include "host/analysis/facts/block.hpp"
#include "host/analysis/facts/finding.hpp"

namespace strata::analysis {

struct MemoryFacts;

struct KeptBlock {
  std::uint32_t block = 0;                  // index into Facts::blocks
  std::uint32_t forward = 0;                // number of the run's forward that made it, from 0
  std::int64_t step = -1;                   // of that forward; -1 before the first
  std::uint64_t earlier_from = UINT64_MAX;  // sequence from which it belongs to an earlier forward
  // Its forward left a graph: the block is that graph's output, or kept by it.
  bool has_graph = false, is_output = false;
  bool is_earlier_at(std::uint64_t sequence) const { return earlier_from <= sequence; }
};

class KeptFromEarlier {
 public:
  // Uses the blocks and texts of `facts`, which must outlive this.
  explicit KeptFromEarlier(const MemoryFacts& facts);

  const std::vector<KeptBlock>& blocks() const { return kept_; }  // by birth
  bool holds(std::size_t block) const { return holds_[block]; }   // index into Facts::blocks

  // Those alive at `sequence`, by birth, from forwards that left at least a hundredth of what the largest one
  // left: a loss does not count next to an evaluation.
  std::vector<KeptBlock> alive_at(std::uint64_t sequence) const;

  // Those of alive_at() from forwards before the current one.
  std::vector<KeptBlock> earlier_at(std::uint64_t sequence) const;

 private:
  const MemoryFacts& facts_;
  std::vector<KeptBlock> kept_;
  std::vector<bool> holds_;
};

// Whether graphs keep more than half of these bytes.
bool are_of_graphs(const MemoryFacts& facts, const std::vector<KeptBlock>& kept);

// The main maker.
Maker main_maker(const MemoryFacts& facts, const std::vector<const Block*>& blocks);

}  // namespace strata::analysis
