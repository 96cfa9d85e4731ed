// SPDX-License-Identifier: Apache-2.0
// Outputs of forwards without a graph that a program holds all at once, as an evaluation collects its
// predictions in a list: with half the batch size there would be twice as many of half the size.
#pragma once

#include <cstddef>
#include <vector>

#include "host/analysis/peak/evaluations.hpp"

namespace strata::analysis {

struct MemoryFacts;

class ListedOutputs {
 public:
  // Uses the blocks and texts of `facts`. Finds blocks made by one operator of one module in several
  // forwards, none larger than the first, all alive at once and freed together: at least three of them, or
  // eight if modules are unknown.
  ListedOutputs(const MemoryFacts& facts, const Evaluations& evaluations);

  bool holds(std::size_t block) const { return holds_[block]; }  // index into Facts::blocks

 private:
  std::vector<bool> holds_;
};

}  // namespace strata::analysis
