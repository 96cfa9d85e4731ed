// SPDX-License-Identifier: Apache-2.0
// Outputs of forwards without a graph that a program holds all of, as an evaluation collects its predictions
// in a list: with half the batch there would be twice as many of half the size.
#pragma once

#include <cstddef>
#include <vector>

#include "host/analysis/peak/evaluations.hpp"

namespace strata::analysis {

struct MemoryFacts;

class ListedOutputs {
 public:
  // Looks at the blocks and texts of `facts`. Blocks that one operator of one module made in several
  // forwards, none larger than the first, all there at once and gone together: three of them, eight where
  // modules are not told.
  ListedOutputs(const MemoryFacts& facts, const Evaluations& evaluations);

  bool holds(std::size_t block) const { return holds_[block]; }  // index into Facts::blocks

 private:
  std::vector<bool> holds_;
};

}  // namespace strata::analysis
