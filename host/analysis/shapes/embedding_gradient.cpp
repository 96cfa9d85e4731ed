// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "host/analysis/memory/said.hpp"
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
      shape.sentence = fmt::format(
          "The end of backward: the gradient of the embedding {} is of all its rows, {}, whichever were "
          "looked up{}.",
          shape.layer, said_bytes(filled->bytes),
          is_added ? ", and is added to one that is there or comes of the head" : "");
      shape.remedy = is_added ? "a head of its own weights (model.tied: false) adds nothing, and has a "
                                "gradient of its own; a "
                                "smaller vocabulary"
                              : "a smaller vocabulary; optimizer.per_layer: true frees it at once";
      if (!step.facts().is_configured)
        shape.remedy +=
            "; sparse=True, with an optimizer that takes it, keeps the rows that were looked up alone";
      shape.evidence = fmt::format("{} in {} in backward, where forward looked up rows",
                                   step.text(filled->op), shape.layer);
      shapes.push_back(std::move(shape));
    }
  }
  return shapes;
}

}  // namespace strata::analysis
