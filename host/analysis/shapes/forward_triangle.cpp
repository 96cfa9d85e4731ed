// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "host/analysis/memory/alive.hpp"
#include "host/analysis/memory/said.hpp"
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
std::uint64_t taken_down(const MicroBatch& batch, const std::vector<LayerShare>& shares) {
  std::uint64_t bytes = 0;
  for (const LayerShare& share : shares) {
    for (const Block* block : share.blocks)
      if (batch.backward && block->death_sequence <= batch.backward->end) bytes += block->bytes;
  }
  return bytes;
}

std::string said_descent(bool goes_backward, std::uint64_t taken, std::uint64_t bytes) {
  if (taken == 0 && goes_backward)
    return "what each leaves for backward stays, and the backward behind it keeps it, as with "
           "create_graph=True";
  if (taken == 0) return "what each leaves for backward stays, and no backward takes it down";
  // A last output may be in a variable until the next one is.
  if (taken >= bytes - bytes / 10)
    return "what each leaves for backward stays, and backward takes it down again";
  return fmt::format("what each leaves for backward stays, and backward takes {} of it down",
                     said_bytes(taken));
}

std::string triangle_remedy(bool goes_backward, const std::vector<LayerShare>& shares, std::uint64_t taken) {
  if (taken == 0 && !goes_backward) return "mode: forward leaves nothing where no backward follows";
  const auto is_input = [](const Block* block) { return block->kind == BlockKind::kCheckpointInput; };
  const bool is_checkpointed = std::ranges::all_of(
      shares, [&](const LayerShare& share) { return std::ranges::any_of(share.blocks, is_input); });
  if (is_checkpointed)
    return "these are the layers' inputs alone, for all are computed again; checkpointing: {every: 1, "
           "offload: true} "
           "moves them to the host's memory";
  return "checkpointing: block keeps the layers' inputs alone and computes the rest again; half the batch "
         "accumulated twice (data.batch_size, accumulation) halves it";
}

Shape triangle_shape(const StepView& step, const MicroBatch& batch, const std::vector<LayerShare>& shares,
                     std::uint64_t bytes) {
  const std::uint64_t taken = taken_down(batch, shares);
  const bool has_backward = goes_backward(step, batch);
  std::uint64_t last = 0;
  for (const LayerShare& share : shares) last = std::max(last, share.blocks.back()->birth_sequence);
  Shape shape =
      step.shape(ShapeKind::kForwardTriangle, {batch.forward.begin, last}, step.level_at(last), bytes);
  shape.sentence = fmt::format("Forward climbs by {} over {} layers, {}: {}.", said_bytes(bytes),
                               shares.size(), said_layers(shares.front().path, shares.back().path),
                               said_descent(has_backward, taken, bytes));
  shape.remedy = triangle_remedy(has_backward, shares, taken);
  shape.evidence =
      fmt::format("activations of {} numbered layers, born in forward and alive at its end", shares.size());
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
  const std::uint64_t each = row.front().requested_bytes;
  Shape shape = step.shape(ShapeKind::kLayerStripes, extent,
                           step.level_at(middle.blocks.back()->birth_sequence), bytes);
  shape.layer = said_layers(row.front().path, row.back().path);
  shape.sentence = fmt::format("{} equal stripes, one a layer from {}: each layer leaves {} for backward.",
                               row.size(), shape.layer, said_bytes(each));
  shape.remedy =
      "fewer or narrower layers; checkpointing makes each stripe as thin as a layer's input, a smaller batch "
      "thins "
      "all alike";
  shape.evidence = fmt::format(
      "{} neighbouring layers hold the same to one part in a hundred at forward's end", row.size());
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
