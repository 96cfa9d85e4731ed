// SPDX-License-Identifier: Apache-2.0
// Batch normalization of cuDNN's older interface. The sizes of its workspace, and of the data kept between
// the passes (the reserve space), are not documented: zero, the minimum. On an H200 plain batch normalization
// requested neither (tests/data/card-h200/recordings: ResNet-18 and ResNet-50 in float32, and in bfloat16
// with channels last); with an addition or an activation it was not measured.
#include "dry_gpu/cudnn/call.hpp"
#include "dry_gpu/cudnn/workspace.hpp"

using namespace strata::dry_gpu;

namespace {

bool is_known(cudnnBatchNormMode_t mode, cudnnBatchNormOps_t operations) {
  return is_at_most(mode, CUDNN_BATCHNORM_SPATIAL_PERSISTENT) &&
         is_at_most(operations, CUDNN_BATCHNORM_OPS_BN_ADD_ACTIVATION);
}

Workspace origin_of(cudnnBatchNormOps_t operations) {
  return operations == CUDNN_BATCHNORM_OPS_BN ? Workspace::kFitted : Workspace::kUnknown;
}

}  // namespace

cudnnStatus_t cudnnGetBatchNormalizationForwardTrainingExWorkspaceSize(
    cudnnHandle_t handle, cudnnBatchNormMode_t mode, cudnnBatchNormOps_t operations,
    const cudnnTensorDescriptor_t x, const cudnnTensorDescriptor_t, const cudnnTensorDescriptor_t y,
    const cudnnTensorDescriptor_t scale, const cudnnActivationDescriptor_t, std::size_t* bytes) {
  return ask_for_nothing(is_known(mode, operations) && !has_null(handle, x, y, scale), bytes);
}

cudnnStatus_t cudnnGetBatchNormalizationBackwardExWorkspaceSize(
    cudnnHandle_t handle, cudnnBatchNormMode_t mode, cudnnBatchNormOps_t operations,
    const cudnnTensorDescriptor_t x, const cudnnTensorDescriptor_t, const cudnnTensorDescriptor_t dy,
    const cudnnTensorDescriptor_t, const cudnnTensorDescriptor_t dx, const cudnnTensorDescriptor_t scale,
    const cudnnActivationDescriptor_t, std::size_t* bytes) {
  return ask_for_nothing(is_known(mode, operations) && !has_null(handle, x, dy, dx, scale), bytes);
}

cudnnStatus_t cudnnGetBatchNormalizationTrainingExReserveSpaceSize(
    cudnnHandle_t handle, cudnnBatchNormMode_t mode, cudnnBatchNormOps_t operations,
    const cudnnActivationDescriptor_t, const cudnnTensorDescriptor_t x, std::size_t* bytes) {
  return ask_for_nothing(is_known(mode, operations) && !has_null(handle, x), bytes);
}

cudnnStatus_t cudnnBatchNormalizationForwardTrainingEx(
    cudnnHandle_t handle, cudnnBatchNormMode_t mode, cudnnBatchNormOps_t operations, const void* alpha,
    const void* beta, const cudnnTensorDescriptor_t x, const void*, const cudnnTensorDescriptor_t,
    const void*, const cudnnTensorDescriptor_t y, void*, const cudnnTensorDescriptor_t scale, const void*,
    const void*, double, void*, void*, double epsilon, void*, void*, cudnnActivationDescriptor_t, void*,
    std::size_t, void*, std::size_t) {
  if (!is_known(mode, operations) || has_null(alpha, beta, x, y, scale) || epsilon < CUDNN_BN_MIN_EPSILON)
    return CUDNN_STATUS_BAD_PARAM;
  return compute_nothing(handle, origin_of(operations));
}

cudnnStatus_t cudnnBatchNormalizationBackwardEx(
    cudnnHandle_t handle, cudnnBatchNormMode_t mode, cudnnBatchNormOps_t operations, const void* alpha,
    const void* beta, const void* alpha_parameters, const void* beta_parameters,
    const cudnnTensorDescriptor_t x, const void*, const cudnnTensorDescriptor_t, const void*,
    const cudnnTensorDescriptor_t dy, const void*, const cudnnTensorDescriptor_t, void*,
    const cudnnTensorDescriptor_t dx, void*, const cudnnTensorDescriptor_t scale, const void*, const void*,
    void*, void*, double epsilon, const void*, const void*, cudnnActivationDescriptor_t, void*, std::size_t,
    void*, std::size_t) {
  if (!is_known(mode, operations) ||
      has_null(alpha, beta, alpha_parameters, beta_parameters, x, dy, dx, scale) ||
      epsilon < CUDNN_BN_MIN_EPSILON)
    return CUDNN_STATUS_BAD_PARAM;
  return compute_nothing(handle, origin_of(operations));
}
