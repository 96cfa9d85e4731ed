// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "host/analysis/memory/alive.hpp"
#include "host/analysis/shapes/families.hpp"
#include "host/analysis/shapes/loss_blocks.hpp"

namespace strata::analysis {
namespace {

std::vector<Remedy> logits_remedies() {
  return {Remedy::kChunkedLoss, Remedy::kHalfBatch, Remedy::kSmallerVocabulary};
}

Shape slab_shape(const StepView& step, const Block& logits) {
  const Span extent{logits.birth_sequence, std::min(logits.death_sequence, step.step().end_sequence)};
  Shape shape =
      step.shape(ShapeKind::kLogitsSlab, extent, step.level_at(logits.birth_sequence), logits.bytes);
  shape.layer = step.text(logits.layer);
  shape.block_sequence = logits.birth_sequence;
  shape.remedies = logits_remedies();
  shape.detail = LogitsSlabDetail{logits.bytes * 100 / step.step().peak_allocated_bytes};
  return shape;
}

// Softmax's result comes while the logits are still there.
std::vector<Shape> softmax_spike(const StepView& step, const MicroBatch& batch, const LossBlocks& loss) {
  if (!batch.loss) return {};
  const Level top = step.highest(*batch.loss);
  const std::uint64_t around =
      std::max(step.level_at(batch.loss->begin).bytes, step.level_at(batch.loss->end).bytes);
  if (top.bytes <= around || !step.is_seen(top.bytes - around)) return {};
  const auto softmax = std::ranges::find_if(loss.in_loss, [&](const Block* block) {
    return batch.loss->holds(block->birth_sequence) && block->is_alive_at(top.sequence) &&
           step.text(block->op).find("softmax") != std::string_view::npos;
  });
  if (softmax == loss.in_loss.end() || !loss.logits->is_alive_at(top.sequence)) return {};
  Shape shape = step.shape(ShapeKind::kSoftmaxSpike, *batch.loss, top, top.bytes - around);
  shape.remedies = logits_remedies();
  shape.detail = SoftmaxSpikeDetail{
      .op = std::string(step.text((*softmax)->op)), .kind = (*softmax)->kind, .bytes = (*softmax)->bytes};
  return {shape};
}

}  // namespace

std::vector<Shape> logits_shapes(const StepView& step) {
  std::vector<Shape> shapes;
  for (const MicroBatch& batch : step.micro_batches()) {
    const LossBlocks loss = loss_blocks(step, batch);
    if (loss.logits == nullptr || !is_slab(step, *loss.logits)) continue;
    shapes.push_back(slab_shape(step, *loss.logits));
    for (Shape& spike : softmax_spike(step, batch, loss)) shapes.push_back(std::move(spike));
  }
  return shapes;
}

}  // namespace strata::analysis
