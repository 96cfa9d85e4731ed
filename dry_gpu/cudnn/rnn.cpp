// SPDX-License-Identifier: Apache-2.0
// Recurrent networks. Their workspaces, and the memory kept from the forward to the backward pass (the
// reserve space), are given by fitted formulas (rnn_sizes.hpp).
#include "dry_gpu/cudnn/rnn.hpp"

#include "dry_gpu/cudnn/rnn_sizes.hpp"

using namespace strata::dry_gpu;

namespace {

bool is_set(const cudnnRNNStruct* network) {
  return network != nullptr && network->layers > 0;
}

cudnnStatus_t run(cudnnHandle_t handle, const cudnnRNNStruct* network, const cudnnRNNDataStruct* x,
                  const cudnnRNNDataStruct* y, const void* weights, std::size_t weights_bytes) {
  if (has_null(handle, x, y, weights) || !is_set(network)) return CUDNN_STATUS_BAD_PARAM;
  const bool fits = x->longest == y->longest && x->batch == y->batch && x->layout == y->layout &&
                    x->type == network->type && y->type == network->type &&
                    x->vector_size == network->input_size &&
                    y->vector_size == network->projection_size * network->directions() &&
                    weights_bytes >= RnnWeights(*network).bytes();
  return fits ? compute_nothing(handle, Workspace::kFitted) : CUDNN_STATUS_BAD_PARAM;
}

}  // namespace

cudnnStatus_t cudnnGetRNNTempSpaceSizes(cudnnHandle_t handle, cudnnRNNDescriptor_t network,
                                        cudnnForwardMode_t mode, cudnnRNNDataDescriptor_t x,
                                        std::size_t* workspace_bytes, std::size_t* reserve_bytes) {
  if (has_null(handle, x) || !is_set(network) || !is_at_most(mode, CUDNN_FWD_MODE_TRAINING) ||
      x->vector_size != network->input_size)
    return CUDNN_STATUS_BAD_PARAM;
  const bool trains = mode == CUDNN_FWD_MODE_TRAINING;
  give(workspace_bytes, std::size_t{fitted::rnn_workspace_bytes(*network, *x)});
  give(reserve_bytes, std::size_t{trains ? fitted::rnn_reserve_bytes(*network, *x) : 0});
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnRNNForward(cudnnHandle_t handle, cudnnRNNDescriptor_t network, cudnnForwardMode_t mode,
                              const std::int32_t[], cudnnRNNDataDescriptor_t x, const void*,
                              cudnnRNNDataDescriptor_t y, void*, cudnnTensorDescriptor_t, const void*, void*,
                              cudnnTensorDescriptor_t, const void*, void*, std::size_t weights_bytes,
                              const void* weights, std::size_t, void*, std::size_t, void*) {
  if (!is_at_most(mode, CUDNN_FWD_MODE_TRAINING)) return CUDNN_STATUS_BAD_PARAM;
  return run(handle, network, x, y, weights, weights_bytes);
}

cudnnStatus_t cudnnRNNBackwardData_v8(cudnnHandle_t handle, cudnnRNNDescriptor_t network,
                                      const std::int32_t[], cudnnRNNDataDescriptor_t y, const void*,
                                      const void*, cudnnRNNDataDescriptor_t x, void*, cudnnTensorDescriptor_t,
                                      const void*, const void*, void*, cudnnTensorDescriptor_t, const void*,
                                      const void*, void*, std::size_t weights_bytes, const void* weights,
                                      std::size_t, void*, std::size_t, void*) {
  return run(handle, network, x, y, weights, weights_bytes);
}

// Gradients are added to existing ones: the documentation defines no other mode.
cudnnStatus_t cudnnRNNBackwardWeights_v8(cudnnHandle_t handle, cudnnRNNDescriptor_t network,
                                         cudnnWgradMode_t mode, const std::int32_t[],
                                         cudnnRNNDataDescriptor_t x, const void*, cudnnTensorDescriptor_t,
                                         const void*, cudnnRNNDataDescriptor_t y, const void*,
                                         std::size_t weights_bytes, void* gradients, std::size_t, void*,
                                         std::size_t, void*) {
  if (!is_at_most(mode, CUDNN_WGRAD_MODE_SET)) return CUDNN_STATUS_BAD_PARAM;
  if (mode == CUDNN_WGRAD_MODE_SET) return CUDNN_STATUS_NOT_SUPPORTED;
  return run(handle, network, x, y, gradients, weights_bytes);
}
