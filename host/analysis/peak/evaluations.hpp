// SPDX-License-Identifier: Apache-2.0
// The forwards without a graph that a program does beside its training, marked as an evaluation or not.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "host/analysis/facts/block.hpp"

namespace strata::analysis {

struct MemoryFacts;

class Evaluations {
 public:
  // Looks at the blocks, steps, phases and texts of `facts`, which must outlive this.
  explicit Evaluations(const MemoryFacts& facts);

  // Whether one of these forwards made it, or the loss behind it.
  bool made(const Block& block) const;
  // What a phase that began at `sequence` outside of all phases would be called: "evaluation" within one that
  // nobody marked, else empty.
  std::string_view phase_at(std::uint64_t sequence) const;

 private:
  // From the end of a backward, of an optimizer, or of a batch's making, to what a training does next;
  // UINT64_MAX: to the run's end.
  struct Gap {
    std::uint64_t begin = 0, end = UINT64_MAX;
    bool computes = false;     // a module was at work in it, or a matrix product
    bool serves_next = false;  // what was computed in it the next forward needs, as a teacher's output
  };
  const Gap* gap_at(std::uint64_t sequence) const;
  Gap* gap_at(std::uint64_t sequence);

  const MemoryFacts& facts_;
  std::vector<Gap> gaps_;  // by begin
};

}  // namespace strata::analysis
