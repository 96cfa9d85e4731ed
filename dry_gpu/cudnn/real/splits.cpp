// SPDX-License-Identifier: Apache-2.0
#include "dry_gpu/cudnn/real/splits.hpp"

#include <algorithm>
#include <array>

namespace strata::dry_gpu::real_cudnn {
namespace {

constexpr std::int64_t kBlocksOfGroup = 18;   // multiprocessors of the largest group that a cluster lies in
constexpr std::int64_t kMostSimpleParts = 8;  // of what is halved, and halved again
constexpr std::int64_t kAlignment = 127, kCounterBytes = 4, kSpareCounters = 8;
constexpr std::int64_t kMostCluster = 16;
constexpr std::int64_t kMostSize = std::int64_t{1} << 40;  // of a convolution: beyond, nothing is corrected

struct Tile {
  std::int64_t rows, columns;  // 0: not known
};
// By the value of cuDNN's tile-size knob.
constexpr std::array<Tile, 10> kTiles = {{{128, 128},
                                          {128, 64},
                                          {128, 32},
                                          {256, 128},
                                          {256, 64},
                                          {64, 64},
                                          {128, 256},
                                          {64, 128},
                                          {64, 32},
                                          {64, 256}}};

constexpr std::int64_t in_units(std::int64_t size, std::int64_t unit) {
  return (size + unit - 1) / unit;
}

std::optional<std::int64_t> value_of(const Knobs& knobs, std::int32_t type, std::int64_t least,
                                     std::int64_t most) {
  const auto found = std::ranges::find(knobs, type, &Knob::type);
  if (found == knobs.end() || found->value < least || found->value > most) return std::nullopt;
  return found->value;
}

// Terms of a sum that are one unit of work: more where a tile is small, and where tensor cores are fast.
std::int64_t terms_of_step(const Tile& tile, std::int64_t element_bytes) {
  const std::int64_t area = tile.rows * tile.columns;
  return (area >= 16384 ? 32 : area >= 8192 ? 40 : 48) * (element_bytes == 4 ? 1 : 8);
}

// Places where two partial tiles, or one and what two have become, are added.
std::int64_t additions(std::int64_t parts) {
  std::int64_t count = 0;
  while (parts > 1) count += parts = in_units(parts, 2);
  return count;
}

// Of each of `tiles` that are the last ones to run.
std::int64_t parts_of(const TiledProduct& product, std::int64_t tiles, std::int64_t blocks, bool are_all) {
  const std::int64_t most = blocks / tiles;
  if (most < 2) return 1;
  const std::int64_t least_steps = are_all ? 16 : 8;
  std::int64_t simple = 1;
  while (simple < kMostSimpleParts && 2 * simple <= most && product.steps >= 2 * simple * least_steps)
    simple *= 2;
  std::int64_t other = are_all ? (product.steps - 1) / 32 : product.steps / 7;
  if (product.steps < 32) other = 1;
  return std::max(simple, std::min(most, other));
}

}  // namespace

std::optional<TiledProduct> tiled_product(const ConvolutionShape& shape, const Knobs& knobs) {
  const auto size = value_of(knobs, kTileSizeKnob, 0, kTiles.size() - 1);
  const auto cluster_rows = value_of(knobs, kClusterRowsKnob, 1, kMostCluster);
  const auto cluster_columns = value_of(knobs, kClusterColumnsKnob, 1, kMostCluster);
  const auto unsplit = value_of(knobs, kWorkspaceKnob, 0, 1);
  if (!size || !cluster_rows || !cluster_columns || !unsplit) return std::nullopt;
  for (const std::int64_t each : {shape.inputs, shape.outputs, shape.filter_positions, shape.results})
    if (each < 1 || each > kMostSize / shape.filter_positions) return std::nullopt;
  if (shape.element_bytes != 2 && shape.element_bytes != 4) return std::nullopt;
  const Tile tile = kTiles[static_cast<std::size_t>(*size)];
  const std::int64_t terms = terms_of_step(tile, shape.element_bytes);
  const bool is_forward = shape.kind == ConvolutionShape::Kind::kForward;
  const std::int64_t rows = in_units(is_forward ? shape.results : shape.outputs, tile.rows);
  const std::int64_t columns = is_forward ? in_units(shape.outputs, tile.columns)
                                          : in_units(shape.inputs, tile.columns) * shape.filter_positions;
  const std::int64_t clusters = in_units(rows, *cluster_rows) * in_units(columns, *cluster_columns);
  const std::int64_t cluster = *cluster_rows * *cluster_columns;
  return TiledProduct{.tile_rows = tile.rows,
                      .tile_columns = tile.columns,
                      .tiles = clusters * cluster,
                      .cluster = cluster,
                      .steps = is_forward ? in_units(shape.inputs, terms) * shape.filter_positions
                                          : in_units(shape.results, terms),
                      .is_split = *unsplit == 0};
}

std::int64_t blocks_without_device(std::int64_t cluster) {
  return kBlocksOfGroup - kBlocksOfGroup % cluster;
}

// Clusters of three and of four ran on 120 of the 132 multiprocessors of an H200: what is left of a group is
// too small for them.
std::int64_t blocks_on(std::int64_t multiprocessors, std::int64_t cluster) {
  const std::int64_t reached = cluster <= 2 ? multiprocessors : multiprocessors * 10 / 11;
  return std::max(cluster, reached - reached % cluster);
}

std::int64_t partial_bytes(const TiledProduct& product, std::int64_t blocks) {
  const std::int64_t full_waves = product.tiles / blocks, last = product.tiles % blocks;
  const bool has_counter = product.tiles > 2 * blocks;  // from which blocks take their next tile
  const bool is_worth_it = last > 0 && (full_waves == 0 || 2 * last <= blocks);
  const std::int64_t parts =
      product.is_split && is_worth_it ? parts_of(product, last, blocks, full_waves == 0) : 1;
  if (parts == 1) return has_counter ? kAlignment + kCounterBytes : 0;
  const std::int64_t counters = last * additions(parts) + kSpareCounters + (has_counter ? 1 : 0);
  return last * parts * product.tile_rows * product.tile_columns * std::int64_t{sizeof(float)} + kAlignment +
         counters * kCounterBytes;
}

std::int64_t workspace_on(std::int64_t multiprocessors, const ConvolutionShape& shape, const Knobs& knobs,
                          std::int64_t answered_bytes) {
  const std::optional<TiledProduct> product = tiled_product(shape, knobs);
  if (!product || multiprocessors < 1) return answered_bytes;
  const std::int64_t assumed = partial_bytes(*product, blocks_without_device(product->cluster));
  if (assumed > answered_bytes) return answered_bytes;
  return answered_bytes - assumed + partial_bytes(*product, blocks_on(multiprocessors, product->cluster));
}

}  // namespace strata::dry_gpu::real_cudnn
