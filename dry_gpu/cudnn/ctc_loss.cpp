// SPDX-License-Identifier: Apache-2.0
// The CTC loss. Its workspace is not documented: nothing, the least that it can be.
#include "dry_gpu/cudnn/tensors.hpp"
#include "dry_gpu/cudnn/workspace.hpp"

using namespace strata::dry_gpu;

struct cudnnCTCLossStruct {
  cudnnDataType_t compute_type = CUDNN_DATA_FLOAT;
  cudnnLossNormalizationMode_t normalization = CUDNN_LOSS_NORMALIZATION_NONE;
  cudnnCTCGradMode_t gradient =
      CUDNN_CTC_ZERO_OOB_GRADIENTS;  // kept as a NaN propagation by the older setters
  int longest_label = 0;
};

namespace {

cudnnStatus_t set(cudnnCTCLossDescriptor_t loss, const cudnnCTCLossStruct& values) {
  if (loss == nullptr) return CUDNN_STATUS_BAD_PARAM;
  if (values.compute_type != CUDNN_DATA_FLOAT && values.compute_type != CUDNN_DATA_DOUBLE)
    return CUDNN_STATUS_NOT_SUPPORTED;
  *loss = values;
  return CUDNN_STATUS_SUCCESS;
}

// Probabilities have the shape (times, batch, alphabet), and so have their gradients where those are asked
// for.
bool is_right(cudnnHandle_t handle, const cudnnCTCLossStruct* loss, const cudnnTensorStruct* probabilities,
              const cudnnTensorStruct* gradients) {
  return !has_null(handle, loss, probabilities) && probabilities->dimensions == 3 &&
         (gradients == nullptr || (gradients->dimensions == 3 && gradients->sizes == probabilities->sizes));
}

}  // namespace

cudnnStatus_t cudnnCreateCTCLossDescriptor(cudnnCTCLossDescriptor_t* result) {
  return create(result);
}
cudnnStatus_t cudnnDestroyCTCLossDescriptor(cudnnCTCLossDescriptor_t loss) {
  return destroy(loss);
}

cudnnStatus_t cudnnSetCTCLossDescriptor(cudnnCTCLossDescriptor_t loss, cudnnDataType_t type) {
  return set(loss, {.compute_type = type});
}
cudnnStatus_t cudnnSetCTCLossDescriptorEx(cudnnCTCLossDescriptor_t loss, cudnnDataType_t type,
                                          cudnnLossNormalizationMode_t normalization,
                                          cudnnNanPropagation_t nan) {
  return set(loss, {.compute_type = type,
                    .normalization = normalization,
                    .gradient = static_cast<cudnnCTCGradMode_t>(nan)});
}
cudnnStatus_t cudnnSetCTCLossDescriptor_v9(cudnnCTCLossDescriptor_t loss, cudnnDataType_t type,
                                           cudnnLossNormalizationMode_t normalization,
                                           cudnnCTCGradMode_t gradient, int longest_label) {
  return set(loss, {.compute_type = type,
                    .normalization = normalization,
                    .gradient = gradient,
                    .longest_label = longest_label});
}

cudnnStatus_t cudnnGetCTCLossDescriptorEx(cudnnCTCLossDescriptor_t loss, cudnnDataType_t* type,
                                          cudnnLossNormalizationMode_t* normalization,
                                          cudnnNanPropagation_t* nan) {
  if (has_null(loss, type, normalization, nan)) return CUDNN_STATUS_BAD_PARAM;
  *type = loss->compute_type;
  *normalization = loss->normalization;
  *nan = static_cast<cudnnNanPropagation_t>(loss->gradient);
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnGetCTCLossDescriptor_v9(cudnnCTCLossDescriptor_t loss, cudnnDataType_t* type,
                                           cudnnLossNormalizationMode_t* normalization,
                                           cudnnCTCGradMode_t* gradient, int* longest_label) {
  if (has_null(loss, type, normalization, gradient, longest_label)) return CUDNN_STATUS_BAD_PARAM;
  *type = loss->compute_type;
  *normalization = loss->normalization;
  *gradient = loss->gradient;
  *longest_label = loss->longest_label;
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnGetCTCLossWorkspaceSize(cudnnHandle_t handle, const cudnnTensorDescriptor_t probabilities,
                                           const cudnnTensorDescriptor_t gradients, const int* labels,
                                           const int* label_lengths, const int* input_lengths,
                                           cudnnCTCLossAlgo_t algorithm, cudnnCTCLossDescriptor_t loss,
                                           std::size_t* bytes) {
  return ask_for_nothing(is_right(handle, loss, probabilities, gradients) &&
                             !has_null(labels, label_lengths, input_lengths) &&
                             is_at_most(algorithm, CUDNN_CTC_LOSS_ALGO_NON_DETERMINISTIC),
                         bytes);
}
cudnnStatus_t cudnnGetCTCLossWorkspaceSize_v8(cudnnHandle_t handle, cudnnCTCLossAlgo_t algorithm,
                                              cudnnCTCLossDescriptor_t loss,
                                              const cudnnTensorDescriptor_t probabilities,
                                              const cudnnTensorDescriptor_t gradients, std::size_t* bytes) {
  return ask_for_nothing(is_right(handle, loss, probabilities, gradients) &&
                             is_at_most(algorithm, CUDNN_CTC_LOSS_ALGO_NON_DETERMINISTIC),
                         bytes);
}

cudnnStatus_t cudnnCTCLoss(cudnnHandle_t handle, const cudnnTensorDescriptor_t probabilities, const void*,
                           const int labels[], const int label_lengths[], const int input_lengths[], void*,
                           const cudnnTensorDescriptor_t gradients, void*, cudnnCTCLossAlgo_t,
                           cudnnCTCLossDescriptor_t loss, void*, std::size_t) {
  if (!is_right(handle, loss, probabilities, gradients) || has_null(labels, label_lengths, input_lengths))
    return CUDNN_STATUS_BAD_PARAM;
  return compute_nothing(handle, Workspace::kUnknown);
}
cudnnStatus_t cudnnCTCLoss_v8(cudnnHandle_t handle, cudnnCTCLossAlgo_t, cudnnCTCLossDescriptor_t loss,
                              const cudnnTensorDescriptor_t probabilities, const void*, const int labels[],
                              const int label_lengths[], const int input_lengths[], void*,
                              const cudnnTensorDescriptor_t gradients, void*, std::size_t, void*) {
  if (!is_right(handle, loss, probabilities, gradients) || has_null(labels, label_lengths, input_lengths))
    return CUDNN_STATUS_BAD_PARAM;
  return compute_nothing(handle, Workspace::kUnknown);
}
