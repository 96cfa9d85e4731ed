// SPDX-License-Identifier: Apache-2.0
// The contents of the descriptors of recurrent networks.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "dry_gpu/cudnn/call.hpp"

struct cudnnRNNStruct {
  cudnnRNNAlgo_t algorithm = CUDNN_RNN_ALGO_STANDARD;
  cudnnRNNMode_t cell = CUDNN_RNN_RELU;
  cudnnRNNBiasMode_t bias = CUDNN_RNN_DOUBLE_BIAS;
  cudnnDirectionMode_t direction = CUDNN_UNIDIRECTIONAL;
  cudnnRNNInputMode_t input = CUDNN_LINEAR_INPUT;
  cudnnDataType_t type = CUDNN_DATA_FLOAT, compute_type = CUDNN_DATA_FLOAT;
  cudnnMathType_t math = CUDNN_DEFAULT_MATH;
  std::int32_t input_size = 0, hidden_size = 0,
               projection_size = 0;  // without projections: equal to hidden_size
  std::int32_t layers = 0;
  cudnnDropoutDescriptor_t dropout = nullptr;
  std::uint32_t flags = 0;

  std::int32_t directions() const { return direction == CUDNN_BIDIRECTIONAL ? 2 : 1; }
};

struct cudnnRNNDataStruct {
  cudnnDataType_t type = CUDNN_DATA_FLOAT;
  cudnnRNNDataLayout_t layout = CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_UNPACKED;
  int longest = 0, batch = 0, vector_size = 0;
  std::vector<int> lengths;
  std::array<std::byte, sizeof(double)> padding{};  // one element of `type`
};

namespace strata::dry_gpu {

// The position of a network's weights in its weight space: all matrices, one pseudo-layer after the other,
// then all biases. A pseudo-layer is a layer of one direction; its linear layers are those of the input's
// gates, those of the hidden state's gates, and the projection.
class RnnWeights {
 public:
  explicit RnnWeights(const cudnnRNNStruct& network);

  struct Place {
    std::size_t offset = 0;              // in elements
    std::int32_t rows = 0, columns = 0;  // 0: the weight does not exist
    std::size_t elements() const {
      return static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns);
    }
  };

  std::int32_t pseudo_layers() const { return network_.layers * network_.directions(); }
  std::int32_t linear_layers() const;
  Place matrix(std::int32_t pseudo_layer, std::int32_t linear_layer) const;
  Place bias(std::int32_t pseudo_layer, std::int32_t linear_layer) const;
  std::size_t bytes() const;

 private:
  Place matrix_shape(std::int32_t pseudo_layer, std::int32_t linear_layer) const;
  Place bias_shape(std::int32_t linear_layer) const;

  const cudnnRNNStruct& network_;
  std::int32_t gates_;
};

}  // namespace strata::dry_gpu
