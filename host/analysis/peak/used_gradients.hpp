// SPDX-License-Identifier: Apache-2.0
// Gradients that an optimizer has used and that lie there until backward writes them again, because they are
// zeroed in place, or freed only after forward.
#pragma once

#include <cstdint>
#include <vector>

namespace strata::analysis {

struct MemoryFacts;

class UsedGradients {
 public:
  // Uses the blocks and phases of `facts`, which must outlive this.
  explicit UsedGradients(const MemoryFacts& facts);

  // In a forward or backward: gradients from before the last optimizer, minus those to which a backward has
  // added since. 0 elsewhere.
  std::uint64_t bytes_at(std::uint64_t sequence) const;

 private:
  const MemoryFacts& facts_;
  std::vector<std::uint64_t> optimizer_ends_;
};

}  // namespace strata::analysis
