// SPDX-License-Identifier: Apache-2.0
// Forwards cut short by a failed allocation in a run that continued: the program caught the exception and ran
// a new forward. Blocks freed by the exception were meant for backward, as in a run that ends there.
#pragma once

#include <cstdint>
#include <vector>

#include "host/analysis/attribution/blocks.hpp"
#include "host/analysis/attribution/step_structure.hpp"

namespace strata::analysis {

struct Recording;

class CutForwards {
 public:
  // `structure` must outlive this.
  CutForwards(const Recording& run, const BlockTable& table, const StepStructure& structure);

  // The failure that `block` met in its forward, or for a block born before a forward, in that one, so that
  // it never reached the backward; kNever if there is none.
  std::uint64_t cut_off(const BlockHistory& block) const;

 private:
  const StepStructure& structure_;
  std::vector<std::uint64_t> cuts_;  // failures that cut a forward short, in order
};

}  // namespace strata::analysis
