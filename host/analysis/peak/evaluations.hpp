// SPDX-License-Identifier: Apache-2.0
// The forwards without a graph in addition to training, whether marked as evaluation or not.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "host/analysis/facts/block.hpp"

namespace strata::analysis {

struct MemoryFacts;

class Evaluations {
 public:
  // Uses the blocks, steps, phases and texts of `facts`, which must outlive this.
  explicit Evaluations(const MemoryFacts& facts);

  // Whether one of these forwards made it, or the loss after it.
  bool made(const Block& block) const;
  // The name for a phase that began at `sequence` outside of all phases: "evaluation" inside an unmarked one,
  // else empty.
  std::string_view phase_at(std::uint64_t sequence) const;

 private:
  // From the end of a backward, an optimizer or the making of a batch to the next part of training;
  // UINT64_MAX: to the run's end.
  struct Gap {
    std::uint64_t begin = 0, end = UINT64_MAX;
    bool computes = false;     // a module or a matrix product ran in it
    bool serves_next = false;  // the next forward needs its result, such as a teacher's output
  };
  const Gap* gap_at(std::uint64_t sequence) const;
  Gap* gap_at(std::uint64_t sequence);

  const MemoryFacts& facts_;
  std::vector<Gap> gaps_;  // by begin
};

}  // namespace strata::analysis
