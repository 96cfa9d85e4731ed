// SPDX-License-Identifier: Apache-2.0
// Shapes of tensors and filters, as stored in their descriptors.
#pragma once

#include <array>
#include <cstddef>

#include "dry_gpu/cudnn/call.hpp"

struct cudnnTensorStruct {
  cudnnDataType_t type = CUDNN_DATA_FLOAT;
  int dimensions = 0;
  std::array<int, CUDNN_DIM_MAX> sizes{}, strides{};
};

struct cudnnFilterStruct {
  cudnnDataType_t type = CUDNN_DATA_FLOAT;
  cudnnTensorFormat_t format = CUDNN_TENSOR_NCHW;
  int dimensions = 0;
  std::array<int, CUDNN_DIM_MAX> sizes{};
};

namespace strata::dry_gpu {

// Size of an element in a descriptor of cuDNN's older interface, which has the types up to
// CUDNN_DATA_BFLOAT16.
std::size_t bytes_of(cudnnDataType_t type);

}  // namespace strata::dry_gpu
