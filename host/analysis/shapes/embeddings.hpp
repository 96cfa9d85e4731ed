// SPDX-License-Identifier: Apache-2.0
// Which modules are embeddings: forward looks rows up there, and backward fills a gradient of all rows.
#pragma once

#include <vector>

#include "host/analysis/facts/block.hpp"
#include "host/analysis/shapes/step_view.hpp"

namespace strata::analysis {

struct EmbeddingBackward {
  const Block* filled = nullptr;  // the gradient of all rows that its backward makes
  const Block* gradient =
      nullptr;  // what the parameter's is in the end; the same where nothing is added to it
};

std::vector<EmbeddingBackward> embedding_backwards(const StepView& step, const MicroBatch& batch);

}  // namespace strata::analysis
