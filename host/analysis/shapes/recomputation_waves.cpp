// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "host/analysis/memory/alive.hpp"
#include "host/analysis/shapes/families.hpp"
#include "host/analysis/shapes/layer_shares.hpp"

namespace strata::analysis {
namespace {

// One is a hill.
constexpr std::size_t kLeastWaves = 2;

struct Wave {
  const LayerShare* layer = nullptr;
  MostAlive top;
};

// Each layer's blocks are gone, but for what little its neighbour takes over, when the next one's come.
bool are_apart(const std::vector<LayerShare>& layers) {
  for (std::size_t index = 1; index < layers.size(); ++index) {
    const std::uint64_t next = layers[index].blocks.front()->birth_sequence;
    std::uint64_t left = 0;
    for (const Block* block : layers[index - 1].blocks) left += block->is_alive_at(next) ? block->bytes : 0;
    if (left > layers[index - 1].bytes / 4) return false;
  }
  return true;
}

}  // namespace

std::vector<Shape> recomputation_waves(const StepView& step) {
  std::vector<Shape> shapes;
  for (const MicroBatch& batch : step.micro_batches()) {
    if (!batch.backward) continue;
    std::vector<const Block*> recomputed;
    for (const Block& block : step.born_in(*batch.backward)) {
      if (block.kind == BlockKind::kRecompute) recomputed.push_back(&block);
    }
    const std::vector<LayerShare> layers = layer_shares(step, recomputed);
    if (layers.size() < kLeastWaves || !are_apart(layers)) continue;
    Wave highest;
    std::uint64_t last = 0;
    for (const LayerShare& layer : layers) {
      const MostAlive top = most_alive(layer.blocks);
      if (top.bytes > highest.top.bytes) highest = {&layer, top};
      for (const Block* block : layer.blocks) last = std::max(last, block->death_sequence);
    }
    if (!step.is_seen(highest.top.bytes)) continue;
    Shape shape =
        step.shape(ShapeKind::kRecomputationWaves,
                   {layers.front().blocks.front()->birth_sequence, std::min(last, step.step().end_sequence)},
                   step.level_at(highest.top.sequence), highest.top.bytes);
    shape.layer = highest.layer->path;
    shape.remedies = {Remedy::kNoCheckpointing, Remedy::kCheckpointAttention};
    shape.detail =
        RecomputationDetail{layers.size(), name_of_layers(layers.front().path, layers.back().path)};
    shapes.push_back(std::move(shape));
  }
  return shapes;
}

}  // namespace strata::analysis
