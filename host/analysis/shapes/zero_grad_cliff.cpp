// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "host/analysis/shapes/families.hpp"
#include "strata/ext/phase.h"

namespace strata::analysis {
namespace {

// Where forward has run before gradients are cleared, its activations lay on them.
bool follows_forward(const StepView& step, const Span& phase) {
  const auto& batches = step.micro_batches();
  return std::ranges::any_of(batches, [&](const MicroBatch& batch) {
    return batch.forward.end < phase.begin && batch.backward && phase.end < batch.backward->begin;
  });
}

Shape zero_grad_cliff(const StepView& step, const Span& phase, std::uint64_t bytes, std::uint64_t blocks) {
  const Level at = step.level_at(phase.begin + (phase.end - phase.begin) / 2);
  Shape shape = step.shape(ShapeKind::kZeroGradCliff, phase, at, bytes);
  const bool is_late = follows_forward(step, phase);
  shape.remedies = is_late ? std::vector{Remedy::kZeroGradAtStart}
                           : std::vector{Remedy::kZeroGradFrees, Remedy::kPerLayerOptimizer};
  shape.detail = ZeroGradCliffDetail{blocks, is_late};
  return shape;
}

}  // namespace

std::vector<Shape> zero_grad_cliffs(const StepView& step) {
  std::vector<Shape> shapes;
  for (const Span& phase : step.phases(STRATA_PHASE_ZERO_GRAD)) {
    std::uint64_t bytes = 0, blocks = 0;
    const auto add = [&](const Block& block) {
      if (block.category != Category::kGradient || !phase.holds(block.death_sequence)) return;
      bytes += block.bytes;
      ++blocks;
    };
    for (const Block* block : step.alive_before()) add(*block);
    for (const Block& block : step.born()) add(block);
    if (step.is_seen(bytes)) shapes.push_back(zero_grad_cliff(step, phase, bytes, blocks));
  }
  return shapes;
}

}  // namespace strata::analysis
