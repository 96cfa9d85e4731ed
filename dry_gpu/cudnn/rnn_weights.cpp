// SPDX-License-Identifier: Apache-2.0
#include "dry_gpu/cudnn/rnn.hpp"
#include "dry_gpu/cudnn/tensors.hpp"

namespace strata::dry_gpu {
namespace {

std::int32_t gates_of(cudnnRNNMode_t cell) {
  if (cell == CUDNN_LSTM) return 4;
  return cell == CUDNN_GRU ? 3 : 1;
}

}  // namespace

RnnWeights::RnnWeights(const cudnnRNNStruct& network) : network_(network), gates_(gates_of(network.cell)) {}

std::int32_t RnnWeights::linear_layers() const {
  return 2 * gates_ + (network_.cell == CUDNN_LSTM ? 1 : 0);
}

RnnWeights::Place RnnWeights::matrix_shape(std::int32_t pseudo_layer, std::int32_t linear_layer) const {
  const bool is_first = pseudo_layer < network_.directions();
  if (linear_layer == 2 * gates_) {
    const bool is_there = network_.projection_size != network_.hidden_size;
    return is_there ? Place{.rows = network_.projection_size, .columns = network_.hidden_size} : Place{};
  }
  if (linear_layer >= gates_) return {.rows = network_.hidden_size, .columns = network_.projection_size};
  if (!is_first)
    return {.rows = network_.hidden_size, .columns = network_.projection_size * network_.directions()};
  if (network_.input == CUDNN_SKIP_INPUT) return {};
  return {.rows = network_.hidden_size, .columns = network_.input_size};
}

RnnWeights::Place RnnWeights::bias_shape(std::int32_t linear_layer) const {
  const bool is_of_input = linear_layer < gates_;
  const bool is_there =
      linear_layer < 2 * gates_ &&
      (network_.bias == CUDNN_RNN_DOUBLE_BIAS ||
       network_.bias == (is_of_input ? CUDNN_RNN_SINGLE_INP_BIAS : CUDNN_RNN_SINGLE_REC_BIAS));
  return is_there ? Place{.rows = network_.hidden_size, .columns = 1} : Place{};
}

RnnWeights::Place RnnWeights::matrix(std::int32_t pseudo_layer, std::int32_t linear_layer) const {
  Place place = matrix_shape(pseudo_layer, linear_layer);
  for (std::int32_t layer = 0; layer <= pseudo_layer; ++layer) {
    const std::int32_t end = layer == pseudo_layer ? linear_layer : linear_layers();
    for (std::int32_t linear = 0; linear < end; ++linear)
      place.offset += matrix_shape(layer, linear).elements();
  }
  return place;
}

RnnWeights::Place RnnWeights::bias(std::int32_t pseudo_layer, std::int32_t linear_layer) const {
  Place place = bias_shape(linear_layer);
  place.offset = matrix(pseudo_layers(), 0).offset;  // where the matrices end
  for (std::int32_t layer = 0; layer <= pseudo_layer; ++layer) {
    const std::int32_t end = layer == pseudo_layer ? linear_layer : linear_layers();
    for (std::int32_t linear = 0; linear < end; ++linear) place.offset += bias_shape(linear).elements();
  }
  return place;
}

std::size_t RnnWeights::bytes() const {
  return bias(pseudo_layers(), 0).offset * bytes_of(network_.type);
}

}  // namespace strata::dry_gpu

using namespace strata::dry_gpu;

namespace {

// A weight that is not there has no dimensions and no address.
void describe(const RnnWeights::Place& place, cudnnDataType_t type, const void* weights,
              cudnnTensorDescriptor_t descriptor, void** address) {
  const bool is_there = place.rows > 0;
  if (address != nullptr) {
    const auto base = reinterpret_cast<std::uintptr_t>(weights);
    const std::uintptr_t at = base + place.offset * bytes_of(type);
    *address = is_there ? reinterpret_cast<void*>(at) : nullptr;  // NOLINT(performance-no-int-to-ptr)
  }
  if (descriptor == nullptr) return;
  *descriptor = {.type = type};
  if (!is_there) return;
  descriptor->dimensions = 3;
  descriptor->sizes = {1, place.rows, place.columns};
  const auto elements = std::int64_t{place.rows} * place.columns;
  descriptor->strides = {static_cast<int>(elements), place.columns, 1};
}

}  // namespace

cudnnStatus_t cudnnGetRNNWeightSpaceSize(cudnnHandle_t handle, cudnnRNNDescriptor_t network,
                                         std::size_t* bytes) {
  if (has_null(handle, network, bytes) || network->layers == 0) return CUDNN_STATUS_BAD_PARAM;
  *bytes = RnnWeights(*network).bytes();
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnGetRNNWeightParams(cudnnHandle_t handle, cudnnRNNDescriptor_t network,
                                      std::int32_t pseudo_layer, std::size_t weights_bytes,
                                      const void* weights, std::int32_t linear_layer,
                                      cudnnTensorDescriptor_t matrix, void** matrix_address,
                                      cudnnTensorDescriptor_t bias, void** bias_address) {
  if (has_null(handle, network) || network->layers == 0) return CUDNN_STATUS_BAD_PARAM;
  const RnnWeights places(*network);
  if (pseudo_layer < 0 || pseudo_layer >= places.pseudo_layers() || linear_layer < 0 ||
      linear_layer >= places.linear_layers() || weights_bytes < places.bytes())
    return CUDNN_STATUS_BAD_PARAM;
  describe(places.matrix(pseudo_layer, linear_layer), network->type, weights, matrix, matrix_address);
  describe(places.bias(pseudo_layer, linear_layer), network->type, weights, bias, bias_address);
  return CUDNN_STATUS_SUCCESS;
}
