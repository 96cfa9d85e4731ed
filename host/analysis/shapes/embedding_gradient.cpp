// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "host/analysis/shapes/embeddings.hpp"
#include "host/analysis/shapes/families.hpp"

namespace strata::analysis {

std::vector<Shape> embedding_gradients(const StepView& step) {
  std::vector<Shape> shapes;
  for (const MicroBatch& batch : step.micro_batches()) {
    for (const auto& [filled, gradient] : embedding_backwards(step, batch)) {
      if (!step.is_seen(filled->bytes)) continue;
      const std::uint64_t end = std::min(filled->death_sequence, step.step().end_sequence);
      Shape shape = step.shape(ShapeKind::kEmbeddingGradient, {filled->birth_sequence, end},
                               step.level_at(filled->birth_sequence), filled->bytes);
      shape.layer = step.text(filled->layer);
      shape.block_sequence = filled->birth_sequence;
      const bool is_added = filled != gradient;
      if (is_added) shape.remedies.push_back(Remedy::kUntiedHead);
      shape.remedies.push_back(Remedy::kSmallerVocabulary);
      if (!is_added) shape.remedies.push_back(Remedy::kPerLayerOptimizer);
      if (!step.facts().is_configured) shape.remedies.push_back(Remedy::kSparseEmbedding);
      shape.detail = EmbeddingGradientDetail{.op = std::string(step.text(filled->op)), .is_added = is_added};
      shapes.push_back(std::move(shape));
    }
  }
  return shapes;
}

}  // namespace strata::analysis
