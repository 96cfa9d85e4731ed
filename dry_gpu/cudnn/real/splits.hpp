// SPDX-License-Identifier: Apache-2.0
// How many parts cuDNN's engines for clusters (compute capability 9.0) split a convolution's sums in. Where
// the tiles of a result do not fill the device, several thread blocks add up one tile, and their partial
// tiles lie in the workspace. How many depends on the multiprocessors, which these engines do not learn
// without a device: they plan for 18 then, the most that a cluster can lie in. So what cuDNN answers is
// corrected: less the parts for 18, plus those for the device's own number.
//
// No documentation says this. The rules are what 38,000 answers of cuDNN 9.19 without a device follow (random
// shapes, every configuration; 99 in 100 to the byte), put to 132 multiprocessors. An H200's measured
// workspaces follow them all, in float32 and 16 bits. Fitted to those answers are the sizes of the tiles, the
// cost of adding up parts, and what is kept beside them; to three of the H200's rows, how many of its
// multiprocessors clusters of more than two reach. Other cards of compute capability 9.0 are taken to be
// alike.
#pragma once

#include <cstdint>
#include <optional>

#include "dry_gpu/cudnn/real/configurations.hpp"

namespace strata::dry_gpu::real_cudnn {

// A convolution of one group.
struct ConvolutionShape {
  enum class Kind { kForward, kFilterGradient } kind{};
  enum class Type { kOther, kFloat, kHalf, kBfloat16 } type{};  // of all three tensors
  std::int64_t inputs = 0;                                      // channels
  std::int64_t outputs = 0;                                     // channels
  std::int64_t filter_positions = 0;                            // 9 for a filter of 3 x 3
  std::int64_t results = 0;                                     // of each channel, in all images

  bool operator==(const ConvolutionShape&) const = default;
};

// A product of matrices in tiles: each element is a sum of `terms`, which is what can be split.
struct TiledProduct {
  std::int64_t tile_rows = 0, tile_columns = 0;  // of a tile, in elements
  std::int64_t tiles = 0;                        // whole clusters of them
  std::int64_t cluster = 0;                      // thread blocks
  std::int64_t terms = 0, terms_of_step = 1;     // a part is of whole steps
  double addition_terms = 0;                     // that cost as much as adding two parts
  bool is_split = false;                         // else never

  bool operator==(const TiledProduct&) const = default;
};

// Nothing: it is none of those engines, or none whose tiles are known.
std::optional<TiledProduct> tiled_product(const ConvolutionShape& shape, const Knobs& knobs);

// How many thread blocks run at a time, in whole clusters: without a device, and on one.
std::int64_t blocks_without_device(std::int64_t cluster);
std::int64_t blocks_on(std::int64_t multiprocessors, std::int64_t cluster);

// Of the workspace that the partial tiles take, with what is kept beside them.
std::int64_t partial_bytes(const TiledProduct& product, std::int64_t blocks);

// What cuDNN has answered without a device, as it is with that many multiprocessors. The same where nothing
// is known of the engine, or its answer is not what is known of it.
std::int64_t workspace_on(std::int64_t multiprocessors, const ConvolutionShape& shape, const Knobs& knobs,
                          std::int64_t answered_bytes);

}  // namespace strata::dry_gpu::real_cudnn
