// SPDX-License-Identifier: Apache-2.0
// What step after step leaves behind, whatever made it: copies of weights or gradients in a list, graphs of
// backward(create_graph=True), optimizers that were replaced, a replay buffer.
//
// Such a block is born after the first complete step and outlives the step after its own. Those that one
// operator makes in one module and phase are alive at once from at least three steps, and all are freed
// together or not at all: in a queue, one is freed for each new one.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "host/analysis/facts/finding.hpp"
#include "host/analysis/peak/kept_from_earlier.hpp"

namespace strata::analysis {

struct MemoryFacts;

class StepGrowth {
 public:
  // Uses the blocks, phases, steps and texts of `facts`, which must outlive this. Excludes blocks in `kept`.
  StepGrowth(const MemoryFacts& facts, const KeptFromEarlier& kept);

  bool holds(std::size_t block) const { return holds_[block]; }      // index into Facts::blocks
  std::vector<const Block*> alive_at(std::uint64_t sequence) const;  // by birth
  // All of them, by birth.
  const std::vector<std::uint32_t>& blocks() const { return blocks_; }

 private:
  const MemoryFacts& facts_;
  std::vector<std::uint32_t> blocks_;
  std::vector<bool> holds_;
};

// The number of steps that these blocks, by birth, were made in.
std::uint64_t steps_of(const MemoryFacts& facts, const std::vector<const Block*>& blocks);

// The phase that most bytes of these blocks were made in; empty between phases.
std::string main_phase(const MemoryFacts& facts, const std::vector<const Block*>& blocks);

}  // namespace strata::analysis
