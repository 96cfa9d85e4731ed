// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/shapes/loss_blocks.hpp"

#include <algorithm>

#include "host/analysis/memory/alive.hpp"

namespace strata::analysis {
namespace {

bool is_as_large_as(const Block& block, const Block& logits) {
  return requested_bytes(block) >= requested_bytes(logits) / 2;
}

}  // namespace

bool is_slab(const StepView& step, const Block& logits) {
  return logits.bytes * 20 >= step.step().peak_allocated_bytes;
}

LossBlocks loss_blocks(const StepView& step, const MicroBatch& batch) {
  LossBlocks found;
  const std::uint64_t loss_end = batch.loss ? batch.loss->end : batch.forward.end;
  for (const Block& block : step.born_in({batch.forward.begin, loss_end})) {
    const bool is_larger = found.logits == nullptr || block.bytes > found.logits->bytes;
    if (block.kind == BlockKind::kLogits && is_larger) found.logits = &block;
  }
  if (found.logits == nullptr) return found;
  const auto is_of_loss = [&](const Block& block) {
    return block.layer == 0 && block.kind != BlockKind::kLogits && is_as_large_as(block, *found.logits);
  };
  const std::uint64_t before_backward = batch.backward ? batch.backward->begin : loss_end;
  for (const Block& block : step.born_in({found.logits->birth_sequence, before_backward})) {
    if (is_of_loss(block)) found.in_loss.push_back(&block);
  }
  if (!batch.backward) return found;
  const auto born = step.born_in(*batch.backward);
  const auto first = std::ranges::find_if(born, [](const Block& block) { return block.layer != 0; });
  if (first == born.end()) return found;
  found.backward_head_end = first->birth_sequence;
  for (auto block = born.begin(); block != first; ++block) {
    if (is_of_loss(*block)) found.in_backward.push_back(&*block);
  }
  return found;
}

}  // namespace strata::analysis
