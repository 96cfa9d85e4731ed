// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/shapes/embeddings.hpp"

#include <algorithm>
#include <set>
#include <string_view>

#include "host/analysis/memory/alive.hpp"

namespace strata::analysis {
namespace {

bool looks_up_rows(std::string_view op) {
  return op == "aten::embedding" || op == "aten::index_select";
}

// embedding's backward makes zeros, and adds to the rows that were looked up.
bool fills_rows(std::string_view op) {
  return op == "aten::zeros" || op == "aten::embedding_dense_backward";
}

struct Lookups {
  std::set<std::uint32_t> layers;
  // What was looked up is a checkpointed layer's input, and has that one's name.
  bool is_one_elsewhere = false;

  bool may_be_in(std::uint32_t layer, bool is_like_a_parameter) const {
    return layer != 0 && (layers.contains(layer) || (is_one_elsewhere && is_like_a_parameter));
  }
};

Lookups lookups_in(const StepView& step, const Span& forward) {
  Lookups lookups;
  for (const Block& block : step.born_in(forward)) {
    if (!looks_up_rows(step.text(block.op))) continue;
    if (block.kind == BlockKind::kCheckpointInput) {
      lookups.is_one_elsewhere = true;
    } else {
      lookups.layers.insert(block.layer);
    }
  }
  return lookups;
}

// As large as a parameter of its module.
bool is_like_a_parameter(const StepView& step, const Block& filled) {
  return std::ranges::any_of(step.alive_before(), [&](const Block* block) {
    return block->kind == BlockKind::kParameter && block->layer == filled.layer &&
           requested_bytes(*block) == requested_bytes(filled);
  });
}

const Block* gradient_of(const StepView& step, const Block& filled) {
  for (const Block& block : step.born()) {
    if (block.category == Category::kGradient && block.name != 0 && block.layer == filled.layer &&
        requested_bytes(block) == requested_bytes(filled))
      return &block;
  }
  return &filled;
}

}  // namespace

std::vector<EmbeddingBackward> embedding_backwards(const StepView& step, const MicroBatch& batch) {
  if (!batch.backward) return {};
  const Lookups lookups = lookups_in(step, batch.forward);
  std::vector<EmbeddingBackward> found;
  for (const Block& block : step.born_in(*batch.backward)) {
    if (fills_rows(step.text(block.op)) && lookups.may_be_in(block.layer, is_like_a_parameter(step, block)))
      found.push_back({&block, gradient_of(step, block)});
  }
  return found;
}

}  // namespace strata::analysis
