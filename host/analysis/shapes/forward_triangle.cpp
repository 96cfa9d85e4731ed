// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "host/analysis/memory/alive.hpp"
#include "host/analysis/shapes/families.hpp"
#include "host/analysis/shapes/layer_shares.hpp"
#include "strata/ext/phase.h"

namespace strata::analysis {
namespace {

// Fewer layers are a step or two, and neither a slope nor stripes.
constexpr std::size_t kLeastLayers = 3;

// What a forward leaves behind layer by layer: neither its result nor copies of weights.
std::vector<const Block*> kept_by_forward(const StepView& step, const Span& forward) {
  std::vector<const Block*> kept;
  for (const Block& block : step.born_in(forward)) {
    const bool is_of_layers = block.category == Category::kActivation && block.kind != BlockKind::kLogits &&
                              block.kind != BlockKind::kLoss && block.kind != BlockKind::kAutocastCopy;
    if (is_of_layers && block.death_sequence > forward.end) kept.push_back(&block);
  }
  return kept;
}

// Its own, or one of several forwards that are still to go backward.
bool goes_backward(const StepView& step, const MicroBatch& batch) {
  return batch.backward || std::ranges::any_of(step.phases(STRATA_PHASE_BACKWARD), [&](const Span& backward) {
           return backward.begin >= batch.forward.end;
         });
}

// Of what layers left, what is gone when backward has ended; nothing without one.
std::uint64_t freed_by_backward(const MicroBatch& batch, const std::vector<LayerShare>& shares) {
  std::uint64_t bytes = 0;
  for (const LayerShare& share : shares) {
    for (const Block* block : share.blocks)
      if (batch.backward && block->death_sequence <= batch.backward->end) bytes += block->bytes;
  }
  return bytes;
}

using Descent = ForwardTriangleDetail::Descent;

Descent descent_of(bool goes_backward, std::uint64_t freed, std::uint64_t bytes) {
  if (freed == 0) return goes_backward ? Descent::kKeptByBackward : Descent::kNoBackward;
  // A last output may be in a variable until the next one is.
  return freed >= bytes - bytes / 10 ? Descent::kWhole : Descent::kPart;
}

std::vector<Remedy> triangle_remedies(Descent descent, const std::vector<LayerShare>& shares) {
  if (descent == Descent::kNoBackward) return {Remedy::kForwardOnly};
  const auto is_input = [](const Block* block) { return block->kind == BlockKind::kCheckpointInput; };
  const bool is_checkpointed = std::ranges::all_of(
      shares, [&](const LayerShare& share) { return std::ranges::any_of(share.blocks, is_input); });
  if (is_checkpointed) return {Remedy::kOffloadCheckpoints};
  return {Remedy::kCheckpointBlocks, Remedy::kHalfBatch};
}

Shape triangle_shape(const StepView& step, const MicroBatch& batch, const std::vector<LayerShare>& shares,
                     std::uint64_t bytes) {
  const std::uint64_t freed = freed_by_backward(batch, shares);
  const Descent descent = descent_of(goes_backward(step, batch), freed, bytes);
  std::uint64_t last = 0;
  for (const LayerShare& share : shares) last = std::max(last, share.blocks.back()->birth_sequence);
  Shape shape =
      step.shape(ShapeKind::kForwardTriangle, {batch.forward.begin, last}, step.level_at(last), bytes);
  shape.remedies = triangle_remedies(descent, shares);
  shape.detail = ForwardTriangleDetail{.layers = shares.size(),
                                       .layer_names = name_of_layers(shares.front().path, shares.back().path),
                                       .descent = descent,
                                       .freed_bytes = freed};
  return shape;
}

std::string_view container_of(std::string_view path) {
  const std::size_t dot = path.rfind('.');
  return dot == std::string_view::npos ? std::string_view() : path.substr(0, dot);
}

bool are_alike(const LayerShare& left, const LayerShare& right) {
  const auto [less, more] = std::minmax(left.requested_bytes, right.requested_bytes);
  return container_of(left.path) == container_of(right.path) && more - less <= more / 100;
}

// The longest row of neighbours that are alike.
std::vector<LayerShare> longest_row(const std::vector<LayerShare>& shares) {
  std::vector<LayerShare> longest, row;
  for (const LayerShare& share : shares) {
    if (!row.empty() && !are_alike(row.front(), share)) row.clear();
    row.push_back(share);
    if (row.size() > longest.size()) longest = row;
  }
  return longest;
}

Shape stripes_shape(const StepView& step, const std::vector<LayerShare>& row, std::uint64_t bytes) {
  const LayerShare& middle = row[row.size() / 2];
  const Span extent{row.front().blocks.front()->birth_sequence, row.back().blocks.back()->birth_sequence};
  Shape shape = step.shape(ShapeKind::kLayerStripes, extent,
                           step.level_at(middle.blocks.back()->birth_sequence), bytes);
  shape.layer = name_of_layers(row.front().path, row.back().path);
  shape.remedies = {Remedy::kFewerLayers, Remedy::kCheckpointBlocks, Remedy::kHalfBatch};
  shape.detail = LayerStripesDetail{row.size(), row.front().requested_bytes};
  return shape;
}

}  // namespace

std::vector<Shape> forward_triangles(const StepView& step) {
  std::vector<Shape> shapes;
  for (const MicroBatch& batch : step.micro_batches()) {
    const std::vector<LayerShare> shares = layer_shares(step, kept_by_forward(step, batch.forward));
    std::uint64_t bytes = 0;
    for (const LayerShare& share : shares) bytes += share.bytes;
    if (shares.size() >= kLeastLayers && step.is_seen(bytes))
      shapes.push_back(triangle_shape(step, batch, shares, bytes));
    const std::vector<LayerShare> row = longest_row(shares);
    std::uint64_t row_bytes = 0;
    for (const LayerShare& share : row) row_bytes += share.bytes;
    if (row.size() >= kLeastLayers && step.is_seen(row_bytes))
      shapes.push_back(stripes_shape(step, row, row_bytes));
  }
  return shapes;
}

}  // namespace strata::analysis
