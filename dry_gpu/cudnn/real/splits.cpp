// SPDX-License-Identifier: Apache-2.0
#include "dry_gpu/cudnn/real/splits.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace strata::dry_gpu::real_cudnn {
namespace {

constexpr std::int64_t kBlocksOfGroup = 18;  // multiprocessors of the largest group that a cluster lies in
constexpr std::int64_t kAlignment = 127, kCounterBytes = 4, kSpareCounters = 8;
constexpr std::int64_t kMostCluster = 16, kMostParts = 64;
constexpr std::int64_t kManyParts = 9, kTermsOfManyParts = 1024;
constexpr std::int64_t kMostSize = std::int64_t{1} << 31;  // times the filter: beyond, nothing is corrected

struct Tile {
  std::int64_t rows, columns;
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

// The smaller a tile, the faster it is computed, and the more an addition costs in comparison.
double addition_terms(const Tile& tile, ConvolutionShape::Type type) {
  const std::int64_t area = tile.rows * tile.columns;
  const std::size_t place = area >= 16384 ? 0 : area >= 8192 ? 1 : 2;
  constexpr std::array<double, 3> kUsual = {448, 560, 784}, kBfloat16 = {3392, 4480, 6272};
  return (type == ConvolutionShape::Type::kBfloat16 ? kBfloat16 : kUsual)[place];
}

// Places where two partial tiles, or one and what two have become, are added.
std::int64_t additions(std::int64_t parts) {
  std::int64_t count = 0;
  while (parts > 1) count += parts = in_units(parts, 2);
  return count;
}

// The cost of that many parts, in units of an addition. If full waves of tiles run before, some of it
// overlaps with them.
double additions_in_turn(std::int64_t parts, bool after_full_waves) {
  if (!after_full_waves) return static_cast<double>(std::bit_width(static_cast<std::uint64_t>(parts - 1)));
  constexpr std::array<double, 5> kFew = {0, 0, 0.5, 0.85, 1};
  if (parts < std::ssize(kFew)) return kFew[static_cast<std::size_t>(parts)];
  return 1.37 + 0.06 * static_cast<double>(std::max<std::int64_t>(parts - 8, 0));
}

// For each of the last `tiles`: the number of parts that takes the least time.
std::int64_t parts_of(const TiledProduct& product, std::int64_t tiles, std::int64_t blocks,
                      bool after_full_waves) {
  const std::int64_t most = blocks / tiles;
  const std::int64_t long_parts = (product.terms - 1) / kTermsOfManyParts;
  if (!after_full_waves && most >= kManyParts && long_parts >= kManyParts) return std::min(most, long_parts);
  std::int64_t best = 1;
  double least = static_cast<double>(product.terms);
  for (std::int64_t parts = 2; parts <= std::min(most, kMostParts); ++parts) {
    const double cost = static_cast<double>(product.terms) / static_cast<double>(parts) +
                        product.addition_terms * additions_in_turn(parts, after_full_waves);
    if (cost < least) {
      best = parts;
      least = cost;
    }
  }
  if (!after_full_waves) return best;
  const std::int64_t steps = in_units(product.terms, product.terms_of_step);
  return in_units(steps, in_units(steps, best));
}

}  // namespace

std::optional<TiledProduct> tiled_product(const ConvolutionShape& shape, const Knobs& knobs) {
  const auto size = value_of(knobs, kTileSizeKnob, 0, kTiles.size() - 1);
  const auto cluster_rows = value_of(knobs, kClusterRowsKnob, 1, kMostCluster);
  const auto cluster_columns = value_of(knobs, kClusterColumnsKnob, 1, kMostCluster);
  const auto unsplit = value_of(knobs, kWorkspaceKnob, 0, 1);
  if (!size || !cluster_rows || !cluster_columns || !unsplit) return std::nullopt;
  if (shape.filter_positions < 1) return std::nullopt;
  for (const std::int64_t each : {shape.inputs, shape.outputs, shape.results})
    if (each < 1 || each > kMostSize / shape.filter_positions) return std::nullopt;
  if (shape.type == ConvolutionShape::Type::kOther) return std::nullopt;
  const Tile tile = kTiles[static_cast<std::size_t>(*size)];
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
                      .terms = is_forward ? shape.inputs * shape.filter_positions : shape.results,
                      .terms_of_step = shape.type == ConvolutionShape::Type::kFloat ? 32 : 64,
                      .addition_terms = addition_terms(tile, shape.type),
                      .is_split = *unsplit == 0};
}

std::int64_t blocks_without_device(std::int64_t cluster) {
  return kBlocksOfGroup - kBlocksOfGroup % cluster;
}

// Clusters of three and of four ran on 120 of the 132 multiprocessors of an H200: the rest of a group is too
// small for them.
std::int64_t blocks_on(std::int64_t multiprocessors, std::int64_t cluster) {
  const std::int64_t reached = cluster <= 2 ? multiprocessors : multiprocessors * 10 / 11;
  return std::max(cluster, reached - reached % cluster);
}

std::int64_t partial_bytes(const TiledProduct& product, std::int64_t blocks) {
  const std::int64_t full_waves = product.tiles / blocks, last = product.tiles % blocks;
  const bool has_counter = product.tiles > 2 * blocks;  // from which blocks take their next tile
  const bool is_worth_it = last > 0 && (full_waves == 0 || 2 * last <= blocks);
  const std::int64_t parts =
      product.is_split && is_worth_it ? parts_of(product, last, blocks, full_waves > 0) : 1;
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
