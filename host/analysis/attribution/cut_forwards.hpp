// SPDX-License-Identifier: Apache-2.0
// Forwards that an allocation's failure cut short in a run that went on: a program caught the exception, and
// went forward anew. What the exception freed on its way was meant for backward, as in a run that ends there.
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

  // The failure that `block` met in its forward, or, born before one, in that, and because of which it never
  // saw the backward; kNever where there is none.
  std::uint64_t cut_off(const BlockHistory& block) const;

 private:
  const StepStructure& structure_;
  std::vector<std::uint64_t> cuts_;  // failures that cut a forward short, in order
};

}  // namespace strata::analysis
