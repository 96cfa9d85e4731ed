// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "dry_gpu/cudnn/rnn.hpp"
#include "dry_gpu/cudnn/tensors.hpp"

using namespace strata::dry_gpu;

namespace {

bool is_computed(cudnnDataType_t type, cudnnDataType_t compute_type) {
  switch (type) {
    case CUDNN_DATA_FLOAT:
    case CUDNN_DATA_DOUBLE:
      return compute_type == type;
    case CUDNN_DATA_HALF:
      return compute_type == CUDNN_DATA_HALF || compute_type == CUDNN_DATA_FLOAT;
    case CUDNN_DATA_BFLOAT16:
      return compute_type == CUDNN_DATA_FLOAT;
    default:
      return false;
  }
}

cudnnStatus_t check(const cudnnRNNStruct& network) {
  const bool is_known =
      is_at_most(network.algorithm, CUDNN_RNN_ALGO_PERSIST_STATIC_SMALL_H) &&
      is_at_most(network.cell, CUDNN_GRU) && is_at_most(network.bias, CUDNN_RNN_SINGLE_REC_BIAS) &&
      is_at_most(network.direction, CUDNN_BIDIRECTIONAL) && is_at_most(network.input, CUDNN_SKIP_INPUT) &&
      is_at_most(network.math, CUDNN_FMA_MATH) && (network.flags & ~CUDNN_RNN_PADDED_IO_ENABLED) == 0;
  if (!is_known || network.input_size < 1 || network.hidden_size < 1 || network.projection_size < 1 ||
      network.layers < 1)
    return CUDNN_STATUS_BAD_PARAM;
  const bool has_projection = network.projection_size != network.hidden_size;
  const bool can_project = network.projection_size < network.hidden_size && network.cell == CUDNN_LSTM &&
                           network.algorithm == CUDNN_RNN_ALGO_STANDARD;
  if ((has_projection && !can_project) || !is_computed(network.type, network.compute_type))
    return CUDNN_STATUS_NOT_SUPPORTED;
  return CUDNN_STATUS_SUCCESS;
}

}  // namespace

cudnnStatus_t cudnnCreateRNNDescriptor(cudnnRNNDescriptor_t* result) {
  return create(result);
}
cudnnStatus_t cudnnDestroyRNNDescriptor(cudnnRNNDescriptor_t network) {
  return destroy(network);
}

cudnnStatus_t cudnnSetRNNDescriptor_v8(cudnnRNNDescriptor_t network, cudnnRNNAlgo_t algorithm,
                                       cudnnRNNMode_t cell, cudnnRNNBiasMode_t bias,
                                       cudnnDirectionMode_t direction, cudnnRNNInputMode_t input,
                                       cudnnDataType_t type, cudnnDataType_t compute_type,
                                       cudnnMathType_t math, std::int32_t input_size,
                                       std::int32_t hidden_size, std::int32_t projection_size,
                                       std::int32_t layers, cudnnDropoutDescriptor_t dropout,
                                       std::uint32_t flags) {
  if (network == nullptr) return CUDNN_STATUS_BAD_PARAM;
  const cudnnRNNStruct values = {.algorithm = algorithm,
                                 .cell = cell,
                                 .bias = bias,
                                 .direction = direction,
                                 .input = input,
                                 .type = type,
                                 .compute_type = compute_type,
                                 .math = math,
                                 .input_size = input_size,
                                 .hidden_size = hidden_size,
                                 .projection_size = projection_size,
                                 .layers = layers,
                                 .dropout = dropout,
                                 .flags = flags};
  const cudnnStatus_t status = check(values);
  if (status == CUDNN_STATUS_SUCCESS) *network = values;
  return status;
}

cudnnStatus_t cudnnGetRNNDescriptor_v8(cudnnRNNDescriptor_t network, cudnnRNNAlgo_t* algorithm,
                                       cudnnRNNMode_t* cell, cudnnRNNBiasMode_t* bias,
                                       cudnnDirectionMode_t* direction, cudnnRNNInputMode_t* input,
                                       cudnnDataType_t* type, cudnnDataType_t* compute_type,
                                       cudnnMathType_t* math, std::int32_t* input_size,
                                       std::int32_t* hidden_size, std::int32_t* projection_size,
                                       std::int32_t* layers, cudnnDropoutDescriptor_t* dropout,
                                       std::uint32_t* flags) {
  if (network == nullptr) return CUDNN_STATUS_BAD_PARAM;
  give(algorithm, network->algorithm);
  give(cell, network->cell);
  give(bias, network->bias);
  give(direction, network->direction);
  give(input, network->input);
  give(type, network->type);
  give(compute_type, network->compute_type);
  give(math, network->math);
  give(input_size, network->input_size);
  give(hidden_size, network->hidden_size);
  give(projection_size, network->projection_size);
  give(layers, network->layers);
  give(dropout, network->dropout);
  give(flags, network->flags);
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnCreateRNNDataDescriptor(cudnnRNNDataDescriptor_t* result) {
  return create(result);
}
cudnnStatus_t cudnnDestroyRNNDataDescriptor(cudnnRNNDataDescriptor_t data) {
  return destroy(data);
}

cudnnStatus_t cudnnSetRNNDataDescriptor(cudnnRNNDataDescriptor_t data, cudnnDataType_t type,
                                        cudnnRNNDataLayout_t layout, int longest, int batch, int vector_size,
                                        const int lengths[], void* padding) {
  return answer([&] {
    if (has_null(data, lengths) || !is_at_most(layout, CUDNN_RNN_DATA_LAYOUT_BATCH_MAJOR_UNPACKED) ||
        longest < 1 || batch < 1 || vector_size < 1 || !is_at_most(type, CUDNN_DATA_COMPLEX_FP64))
      return CUDNN_STATUS_BAD_PARAM;
    if (type > CUDNN_DATA_HALF && type != CUDNN_DATA_BFLOAT16) return CUDNN_STATUS_NOT_SUPPORTED;
    const int* const end = lengths + batch;
    const bool is_packed = layout == CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_PACKED;
    if (!std::all_of(lengths, end, [&](int length) { return length >= 0 && length <= longest; }) ||
        (is_packed && !std::is_sorted(lengths, end, std::greater<>())))
      return CUDNN_STATUS_BAD_PARAM;
    *data = {.type = type,
             .layout = layout,
             .longest = longest,
             .batch = batch,
             .vector_size = vector_size,
             .lengths = {lengths, end}};
    if (padding != nullptr) std::memcpy(data->padding.data(), padding, bytes_of(type));
    return CUDNN_STATUS_SUCCESS;
  });
}

cudnnStatus_t cudnnGetRNNDataDescriptor(cudnnRNNDataDescriptor_t data, cudnnDataType_t* type,
                                        cudnnRNNDataLayout_t* layout, int* longest, int* batch,
                                        int* vector_size, int requested, int lengths[], void* padding) {
  if (has_null(data, padding) || (lengths == nullptr && requested > 0)) return CUDNN_STATUS_BAD_PARAM;
  give(type, data->type);
  give(layout, data->layout);
  give(longest, data->longest);
  give(batch, data->batch);
  give(vector_size, data->vector_size);
  std::copy_n(data->lengths.begin(), std::clamp(requested, 0, data->batch), lengths);
  std::memcpy(padding, data->padding.data(), bytes_of(data->type));
  return CUDNN_STATUS_SUCCESS;
}
