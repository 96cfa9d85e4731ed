// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "host/analysis/memory/alive.hpp"
#include "host/analysis/shapes/families.hpp"
#include "host/analysis/shapes/loss_blocks.hpp"

namespace strata::analysis {
namespace {

// The gradient of the logits, and of their softmax, beside what softmax kept.
std::vector<Shape> start_spike(const StepView& step, const MicroBatch& batch, const LossBlocks& loss) {
  const Level before = step.level_at(batch.backward->begin);
  const Level top = step.highest({batch.backward->begin, loss.backward_head_end - 1});
  const std::uint64_t rise = top.bytes - std::min(top.bytes, before.bytes);
  std::vector<const Block*> made;
  for (const Block* block : loss.in_backward) {
    if (block->is_alive_at(top.sequence)) made.push_back(block);
  }
  if (!step.is_seen(rise) || bytes_of(made) < rise / 2) return {};
  Shape shape =
      step.shape(ShapeKind::kBackwardStartSpike, {batch.backward->begin, loss.backward_head_end}, top, rise);
  shape.remedies = {Remedy::kChunkedLoss, Remedy::kInPlaceLoss, Remedy::kHalfBatch};
  shape.detail = BackwardStartDetail{.op = std::string(step.text(made.back()->op)), .blocks = made.size()};
  return {shape};
}

std::vector<Shape> logits_cliff(const StepView& step, const MicroBatch& batch, const LossBlocks& loss) {
  std::vector<const Block*> dying;
  for (const auto& blocks : {loss.in_loss, loss.in_backward}) {
    for (const Block* block : blocks) {
      if (batch.backward->holds(block->death_sequence)) dying.push_back(block);
    }
  }
  if (dying.empty()) return {};
  const std::uint64_t bottom_sequence = std::ranges::max(dying, {}, &Block::death_sequence)->death_sequence;
  const Level top = step.highest({batch.backward->begin, bottom_sequence});
  Level bottom = step.level_at(bottom_sequence);
  std::erase_if(dying, [&](const Block* block) { return !block->is_alive_at(top.sequence); });
  const std::uint64_t fall = top.bytes - bottom.bytes;
  if (!step.is_seen(fall) || bytes_of(dying) < fall / 2) return {};
  bottom.bytes += fall / 2;
  Shape shape = step.shape(ShapeKind::kLogitsCliff, {top.sequence, bottom_sequence}, bottom, fall);
  shape.remedies = {Remedy::kSmallerLogits};
  shape.detail = LogitsCliffDetail{dying.size()};
  return {shape};
}

}  // namespace

std::vector<Shape> backward_starts(const StepView& step) {
  std::vector<Shape> shapes;
  for (const MicroBatch& batch : step.micro_batches()) {
    if (!batch.backward) continue;
    const LossBlocks loss = loss_blocks(step, batch);
    if (loss.logits == nullptr || !is_slab(step, *loss.logits)) continue;
    if (loss.backward_head_end == 0 || loss.in_backward.empty()) continue;
    for (Shape& shape : start_spike(step, batch, loss)) shapes.push_back(std::move(shape));
    for (Shape& shape : logits_cliff(step, batch, loss)) shapes.push_back(std::move(shape));
  }
  return shapes;
}

}  // namespace strata::analysis
