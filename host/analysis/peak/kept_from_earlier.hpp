// SPDX-License-Identifier: Apache-2.0
// What forwards leave behind one after the other because a program holds it: losses and outputs in a list,
// and with them what their graph keeps for a backward that never comes.
//
// Such a block outlives the step that follows its own, and dies in no backward. Others of the same operator
// and module, of at least three forwards, are there at once, and all of them go together or stay: of a queue
// one goes for each that comes, and it does not grow.
#pragma once

#include <cstdint>
#include <vector>

#include "host/analysis/facts/block.hpp"
#include "host/analysis/facts/finding.hpp"

namespace strata::analysis {

struct MemoryFacts;

struct KeptBlock {
  std::uint32_t block = 0;                  // index into Facts::blocks
  std::uint32_t forward = 0;                // which of the run's forwards made it, counted from 0
  std::int64_t step = -1;                   // in which that was; -1 before the first
  std::uint64_t earlier_from = UINT64_MAX;  // sequence from which on it is an earlier forward's
  // Its forward left more than a result: a graph, and this is what that ends in, or what it keeps.
  bool has_graph = false, is_output = false;
  bool is_earlier_at(std::uint64_t sequence) const { return earlier_from <= sequence; }
};

class KeptFromEarlier {
 public:
  // Looks at the blocks and texts of `facts`, which must outlive this.
  explicit KeptFromEarlier(const MemoryFacts& facts);

  const std::vector<KeptBlock>& blocks() const { return kept_; }  // by birth
  bool holds(std::size_t block) const { return holds_[block]; }   // index into Facts::blocks

  // Those of these that are alive then, by birth, of forwards that left a hundredth of what the largest did,
  // or more: a loss is beside no evaluation.
  std::vector<KeptBlock> alive_at(std::uint64_t sequence) const;

  // Those of alive_at() that forwards before the one that runs made.
  std::vector<KeptBlock> earlier_at(std::uint64_t sequence) const;

 private:
  const MemoryFacts& facts_;
  std::vector<KeptBlock> kept_;
  std::vector<bool> holds_;
};

// Whether more than half of them is what a graph keeps.
bool are_of_graphs(const MemoryFacts& facts, const std::vector<KeptBlock>& kept);

// Who made most of these.
Maker main_maker(const MemoryFacts& facts, const std::vector<const Block*>& blocks);

}  // namespace strata::analysis
