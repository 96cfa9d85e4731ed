// SPDX-License-Identifier: Apache-2.0
// The contents of a convolution descriptor in cuDNN's older interface.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "dry_gpu/cudnn/tensors.hpp"

struct cudnnConvolutionStruct {
  static constexpr int kMostDimensions = CUDNN_DIM_MAX - 2;  // except batch and channels

  cudnnMathType_t math = CUDNN_DEFAULT_MATH;
  cudnnReorderType_t reorder = CUDNN_DEFAULT_REORDER;
  int groups = 1;
  int dimensions = 0;
  std::array<int, kMostDimensions> padding{}, strides{}, dilations{};
  cudnnConvolutionMode_t mode = CUDNN_CONVOLUTION;
  cudnnDataType_t compute_type = CUDNN_DATA_FLOAT;
};

namespace strata::dry_gpu {

// The shape of a convolution's output for `input`: 1 + (input + 2 * padding - ((filter - 1) * dilation + 1))
// / stride in each direction. Empty if the shapes do not match.
std::optional<std::vector<int>> output_sizes(const cudnnConvolutionStruct& convolution,
                                             const cudnnTensorStruct& input, const cudnnFilterStruct& filter);

}  // namespace strata::dry_gpu
