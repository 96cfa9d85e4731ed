// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "host/analysis/layers/repeated_blocks.hpp"
#include "host/analysis/memory/alive.hpp"
#include "host/analysis/shapes/embeddings.hpp"
#include "host/analysis/shapes/families.hpp"
#include "host/analysis/shapes/loss_blocks.hpp"

namespace strata::analysis {
namespace {

// Of the head's own weight.
const Block* own_gradient(const StepView& step, const Span& backward, std::uint32_t head) {
  const Block* largest = nullptr;
  for (const Block& block : step.born_in(backward)) {
    if (block.layer != head || block.category != Category::kGradient) continue;
    if (largest == nullptr || block.bytes > largest->bytes) largest = &block;
  }
  return largest;
}

// Of an embedding that is the head too, so that what its backward fills is added to another one: as large as
// that, and made before the backward of any numbered layer, where nothing of the embedding itself can be.
const Block* tied_gradient(const StepView& step, const MicroBatch& batch, std::uint32_t head) {
  const auto embeddings = embedding_backwards(step, batch);
  for (const Block& block : step.born_in(*batch.backward)) {
    if (!repeated_block(step.facts(), block.layer).empty()) return nullptr;
    for (const auto& [filled, gradient] : embeddings) {
      const bool is_heads = filled != gradient && (block.layer == head || &block == gradient);
      if (is_heads && requested_bytes(block) == requested_bytes(*filled)) return &block;
    }
  }
  return nullptr;
}

}  // namespace

std::vector<Shape> head_gradients(const StepView& step) {
  std::vector<Shape> shapes;
  for (const MicroBatch& batch : step.micro_batches()) {
    if (!batch.backward) continue;
    const LossBlocks loss = loss_blocks(step, batch);
    if (loss.logits == nullptr || loss.logits->layer == 0) continue;
    const std::uint32_t head = loss.logits->layer;
    const Block* gradient = own_gradient(step, *batch.backward, head);
    const bool is_tied = gradient == nullptr;
    if (is_tied) gradient = tied_gradient(step, batch, head);
    if (gradient == nullptr || !step.is_seen(gradient->bytes)) continue;
    const std::uint64_t end = std::min(gradient->death_sequence, step.step().end_sequence);
    Shape shape = step.shape(ShapeKind::kHeadGradient, {gradient->birth_sequence, end},
                             step.level_at(gradient->birth_sequence), gradient->bytes);
    shape.layer = step.text(head);
    shape.block_sequence = gradient->birth_sequence;
    shape.remedies = {Remedy::kSmallerVocabulary, Remedy::kPerLayerOptimizer};
    shape.detail = HeadGradientDetail{
        .op = std::string(step.text(gradient->op)), .kind = gradient->kind, .is_tied = is_tied};
    shapes.push_back(std::move(shape));
  }
  return shapes;
}

}  // namespace strata::analysis
