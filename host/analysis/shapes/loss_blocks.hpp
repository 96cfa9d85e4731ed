// SPDX-License-Identifier: Apache-2.0
// The blocks of a micro-batch that are of its logits: themselves, what their loss keeps, and what its
// backward makes before any layer's.
#pragma once

#include <vector>

#include "host/analysis/facts/block.hpp"
#include "host/analysis/shapes/step_view.hpp"

namespace strata::analysis {

struct LossBlocks {
  const Block* logits = nullptr;  // the largest registered; null: none
  // Each at least half as large as the logits: a copy in another number format is half or twice.
  std::vector<const Block*> in_loss;  // born between logits and backward, of no module
  std::vector<const Block*>
      in_backward;  // made there by the loss's operators, before the first block of a module
  std::uint64_t backward_head_end = 0;  // the birth of that; 0: no block of backward is of a module
};

// A twentieth of the step's peak and more.
bool is_slab(const StepView& step, const Block& logits);

LossBlocks loss_blocks(const StepView& step, const MicroBatch& batch);

}  // namespace strata::analysis
