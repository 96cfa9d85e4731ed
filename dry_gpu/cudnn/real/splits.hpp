// SPDX-License-Identifier: Apache-2.0
// The number of parts in which cuDNN's cluster engines (compute capability 9.0) split a convolution's sums.
// If the tiles of a result do not fill the device, several thread blocks add up one tile, and their partial
// tiles are in the workspace. The number of parts depends on the number of multiprocessors. Without a device
// these engines do not know it and plan for 18, the maximum that a cluster can occupy. So cuDNN's answer is
// corrected: minus the parts for 18, plus those for the device's own number.
//
// No documentation describes this. The rules agree with 38,000 answers of cuDNN 9.19 without a device (random
// shapes, every configuration; 99 in 100 to the byte), applied to 132 multiprocessors. All measured
// workspaces of an H200 agree with them, in float32 and 16 bits. The sizes of the tiles, the cost of adding
// up parts, and the data kept with them were fitted to those answers; the number of the H200's
// multiprocessors reached by clusters of more than two was fitted to three rows of its measurements. Other
// cards of compute capability 9.0 are assumed to be alike.
#pragma once

#include <cstdint>
#include <optional>

#include "dry_gpu/cudnn/real/configurations.hpp"

namespace strata::dry_gpu::real_cudnn {

// A convolution with one group.
struct ConvolutionShape {
  enum class Kind { kForward, kFilterGradient } kind{};
  enum class Type { kOther, kFloat, kHalf, kBfloat16 } type{};  // of all three tensors
  std::int64_t inputs = 0;                                      // channels
  std::int64_t outputs = 0;                                     // channels
  std::int64_t filter_positions = 0;                            // 9 for a filter of 3 x 3
  std::int64_t results = 0;                                     // per channel, in all images

  bool operator==(const ConvolutionShape&) const = default;
};

// A matrix product in tiles: each element is a sum of `terms`, which can be split.
struct TiledProduct {
  std::int64_t tile_rows = 0, tile_columns = 0;  // of a tile, in elements
  std::int64_t tiles = 0;                        // whole clusters of tiles
  std::int64_t cluster = 0;                      // thread blocks
  std::int64_t terms = 0, terms_of_step = 1;     // a part consists of whole steps
  double addition_terms = 0;                     // number of terms that cost as much as adding two parts
  bool is_split = false;                         // if not, it never is

  bool operator==(const TiledProduct&) const = default;
};

// Empty if it is not one of these engines, or its tiles are unknown.
std::optional<TiledProduct> tiled_product(const ConvolutionShape& shape, const Knobs& knobs);

// The number of thread blocks that run at a time, in whole clusters: without a device, and on one.
std::int64_t blocks_without_device(std::int64_t cluster);
std::int64_t blocks_on(std::int64_t multiprocessors, std::int64_t cluster);

// The part of the workspace used by the partial tiles, with the data kept with them.
std::int64_t partial_bytes(const TiledProduct& product, std::int64_t blocks);

// Converts cuDNN's answer without a device to this number of multiprocessors. Unchanged if the engine is
// unknown, or if its answer differs from what is known of it.
std::int64_t workspace_on(std::int64_t multiprocessors, const ConvolutionShape& shape, const Knobs& knobs,
                          std::int64_t answered_bytes);

}  // namespace strata::dry_gpu::real_cudnn
