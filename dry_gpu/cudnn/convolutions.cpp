// SPDX-License-Identifier: Apache-2.0
// Convolutions of cuDNN's older interface. Each has a single algorithm, which is deterministic and requests
// the workspace of the profile; the others fail, with the workspace that they would request.
#include <algorithm>

#include "dry_gpu/cudnn/convolution.hpp"
#include "dry_gpu/cudnn/workspace.hpp"

using namespace strata::dry_gpu;

namespace {

constexpr cudnnConvolutionFwdAlgo_t kForward = CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM;
constexpr cudnnConvolutionBwdDataAlgo_t kBackwardData = CUDNN_CONVOLUTION_BWD_DATA_ALGO_1;
constexpr cudnnConvolutionBwdFilterAlgo_t kBackwardFilter = CUDNN_CONVOLUTION_BWD_FILTER_ALGO_1;

// The tensors of a convolution, whichever of them is asked for.
cudnnStatus_t check(cudnnHandle_t handle, const cudnnTensorStruct* input, const cudnnFilterStruct* filter,
                    const cudnnConvolutionStruct* convolution, const cudnnTensorStruct* output) {
  return answer([&] {
    if (has_null(handle, input, filter, convolution, output)) return CUDNN_STATUS_BAD_PARAM;
    const std::optional<std::vector<int>> sizes = output_sizes(*convolution, *input, *filter);
    const bool fits = sizes && output->dimensions == input->dimensions &&
                      std::equal(sizes->begin(), sizes->end(), output->sizes.begin());
    return fits ? CUDNN_STATUS_SUCCESS : CUDNN_STATUS_BAD_PARAM;
  });
}

// The one algorithm. Its time is as unknown as every other: 0.
template <typename Performance, typename Algorithm>
cudnnStatus_t find(cudnnStatus_t checked, Algorithm algorithm, int requested, int* returned,
                   Performance* results) {
  if (checked != CUDNN_STATUS_SUCCESS) return checked;
  if (has_null(returned, results) || requested < 1) return CUDNN_STATUS_BAD_PARAM;
  results[0] = {};
  results[0].algo = algorithm;
  results[0].status = CUDNN_STATUS_SUCCESS;
  results[0].memory = convolution_workspace_bytes();
  results[0].determinism = CUDNN_DETERMINISTIC;
  results[0].mathType = CUDNN_DEFAULT_MATH;
  *returned = 1;
  return CUDNN_STATUS_SUCCESS;
}

// The same, tried in the caller's workspace, which also computes the result: a workspace that is too small is
// reported in the answer.
template <typename Performance, typename Algorithm>
cudnnStatus_t try_out(cudnnStatus_t checked, cudnnHandle_t handle, Algorithm algorithm, int requested,
                      int* returned, Performance* results, std::size_t workspace_bytes) {
  const cudnnStatus_t status = find(checked, algorithm, requested, returned, results);
  if (status != CUDNN_STATUS_SUCCESS) return status;
  if (results[0].memory <= workspace_bytes) return compute_nothing(handle, Workspace::kUnknown);
  results[0].status = CUDNN_STATUS_ALLOC_FAILED;
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t give_count(cudnnHandle_t handle, int* count) {
  if (has_null(handle, count)) return CUDNN_STATUS_BAD_PARAM;
  *count = 1;
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t give_workspace(cudnnStatus_t checked, std::size_t* bytes) {
  if (checked != CUDNN_STATUS_SUCCESS) return checked;
  if (bytes == nullptr) return CUDNN_STATUS_BAD_PARAM;
  *bytes = convolution_workspace_bytes();
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t convolve(cudnnStatus_t checked, cudnnHandle_t handle, bool is_the_algorithm,
                       const void* workspace, std::size_t workspace_bytes) {
  if (checked != CUDNN_STATUS_SUCCESS) return checked;
  if (!is_the_algorithm) return CUDNN_STATUS_NOT_SUPPORTED;
  const std::size_t needed = convolution_workspace_bytes();
  if (workspace_bytes < needed || (workspace == nullptr && needed > 0)) return CUDNN_STATUS_BAD_PARAM;
  return compute_nothing(handle, Workspace::kUnknown);
}

}  // namespace

cudnnStatus_t cudnnGetConvolutionForwardAlgorithmMaxCount(cudnnHandle_t handle, int* count) {
  return give_count(handle, count);
}
cudnnStatus_t cudnnGetConvolutionBackwardDataAlgorithmMaxCount(cudnnHandle_t handle, int* count) {
  return give_count(handle, count);
}
cudnnStatus_t cudnnGetConvolutionBackwardFilterAlgorithmMaxCount(cudnnHandle_t handle, int* count) {
  return give_count(handle, count);
}

cudnnStatus_t cudnnGetConvolutionForwardAlgorithm_v7(cudnnHandle_t handle, const cudnnTensorDescriptor_t x,
                                                     const cudnnFilterDescriptor_t w,
                                                     const cudnnConvolutionDescriptor_t convolution,
                                                     const cudnnTensorDescriptor_t y, const int requested,
                                                     int* returned, cudnnConvolutionFwdAlgoPerf_t* results) {
  return find(check(handle, x, w, convolution, y), kForward, requested, returned, results);
}
cudnnStatus_t cudnnGetConvolutionBackwardDataAlgorithm_v7(
    cudnnHandle_t handle, const cudnnFilterDescriptor_t w, const cudnnTensorDescriptor_t dy,
    const cudnnConvolutionDescriptor_t convolution, const cudnnTensorDescriptor_t dx, const int requested,
    int* returned, cudnnConvolutionBwdDataAlgoPerf_t* results) {
  return find(check(handle, dx, w, convolution, dy), kBackwardData, requested, returned, results);
}
cudnnStatus_t cudnnGetConvolutionBackwardFilterAlgorithm_v7(
    cudnnHandle_t handle, const cudnnTensorDescriptor_t x, const cudnnTensorDescriptor_t dy,
    const cudnnConvolutionDescriptor_t convolution, const cudnnFilterDescriptor_t dw, const int requested,
    int* returned, cudnnConvolutionBwdFilterAlgoPerf_t* results) {
  return find(check(handle, x, dw, convolution, dy), kBackwardFilter, requested, returned, results);
}

cudnnStatus_t cudnnFindConvolutionForwardAlgorithmEx(
    cudnnHandle_t handle, const cudnnTensorDescriptor_t x, const void*, const cudnnFilterDescriptor_t w,
    const void*, const cudnnConvolutionDescriptor_t convolution, const cudnnTensorDescriptor_t y, void*,
    const int requested, int* returned, cudnnConvolutionFwdAlgoPerf_t* results, void*,
    std::size_t workspace_bytes) {
  return try_out(check(handle, x, w, convolution, y), handle, kForward, requested, returned, results,
                 workspace_bytes);
}
cudnnStatus_t cudnnFindConvolutionBackwardDataAlgorithmEx(
    cudnnHandle_t handle, const cudnnFilterDescriptor_t w, const void*, const cudnnTensorDescriptor_t dy,
    const void*, const cudnnConvolutionDescriptor_t convolution, const cudnnTensorDescriptor_t dx, void*,
    const int requested, int* returned, cudnnConvolutionBwdDataAlgoPerf_t* results, void*,
    std::size_t workspace_bytes) {
  return try_out(check(handle, dx, w, convolution, dy), handle, kBackwardData, requested, returned, results,
                 workspace_bytes);
}
cudnnStatus_t cudnnFindConvolutionBackwardFilterAlgorithmEx(
    cudnnHandle_t handle, const cudnnTensorDescriptor_t x, const void*, const cudnnTensorDescriptor_t dy,
    const void*, const cudnnConvolutionDescriptor_t convolution, const cudnnFilterDescriptor_t dw, void*,
    const int requested, int* returned, cudnnConvolutionBwdFilterAlgoPerf_t* results, void*,
    std::size_t workspace_bytes) {
  return try_out(check(handle, x, dw, convolution, dy), handle, kBackwardFilter, requested, returned, results,
                 workspace_bytes);
}

cudnnStatus_t cudnnGetConvolutionForwardWorkspaceSize(cudnnHandle_t handle, const cudnnTensorDescriptor_t x,
                                                      const cudnnFilterDescriptor_t w,
                                                      const cudnnConvolutionDescriptor_t convolution,
                                                      const cudnnTensorDescriptor_t y,
                                                      cudnnConvolutionFwdAlgo_t, std::size_t* bytes) {
  return give_workspace(check(handle, x, w, convolution, y), bytes);
}
cudnnStatus_t cudnnGetConvolutionBackwardDataWorkspaceSize(
    cudnnHandle_t handle, const cudnnFilterDescriptor_t w, const cudnnTensorDescriptor_t dy,
    const cudnnConvolutionDescriptor_t convolution, const cudnnTensorDescriptor_t dx,
    cudnnConvolutionBwdDataAlgo_t, std::size_t* bytes) {
  return give_workspace(check(handle, dx, w, convolution, dy), bytes);
}
cudnnStatus_t cudnnGetConvolutionBackwardFilterWorkspaceSize(
    cudnnHandle_t handle, const cudnnTensorDescriptor_t x, const cudnnTensorDescriptor_t dy,
    const cudnnConvolutionDescriptor_t convolution, const cudnnFilterDescriptor_t dw,
    cudnnConvolutionBwdFilterAlgo_t, std::size_t* bytes) {
  return give_workspace(check(handle, x, dw, convolution, dy), bytes);
}

cudnnStatus_t cudnnConvolutionForward(cudnnHandle_t handle, const void*, const cudnnTensorDescriptor_t x,
                                      const void*, const cudnnFilterDescriptor_t w, const void*,
                                      const cudnnConvolutionDescriptor_t convolution,
                                      cudnnConvolutionFwdAlgo_t algorithm, void* workspace,
                                      std::size_t workspace_bytes, const void*,
                                      const cudnnTensorDescriptor_t y, void*) {
  return convolve(check(handle, x, w, convolution, y), handle, algorithm == kForward, workspace,
                  workspace_bytes);
}
cudnnStatus_t cudnnConvolutionBiasActivationForward(
    cudnnHandle_t handle, const void*, const cudnnTensorDescriptor_t x, const void*,
    const cudnnFilterDescriptor_t w, const void*, const cudnnConvolutionDescriptor_t convolution,
    cudnnConvolutionFwdAlgo_t algorithm, void* workspace, std::size_t workspace_bytes, const void*,
    const cudnnTensorDescriptor_t, const void*, const cudnnTensorDescriptor_t, const void*,
    const cudnnActivationDescriptor_t activation, const cudnnTensorDescriptor_t y, void*) {
  if (activation == nullptr) return CUDNN_STATUS_BAD_PARAM;
  return convolve(check(handle, x, w, convolution, y), handle, algorithm == kForward, workspace,
                  workspace_bytes);
}
cudnnStatus_t cudnnConvolutionBackwardData(cudnnHandle_t handle, const void*, const cudnnFilterDescriptor_t w,
                                           const void*, const cudnnTensorDescriptor_t dy, const void*,
                                           const cudnnConvolutionDescriptor_t convolution,
                                           cudnnConvolutionBwdDataAlgo_t algorithm, void* workspace,
                                           std::size_t workspace_bytes, const void*,
                                           const cudnnTensorDescriptor_t dx, void*) {
  return convolve(check(handle, dx, w, convolution, dy), handle, algorithm == kBackwardData, workspace,
                  workspace_bytes);
}
cudnnStatus_t cudnnConvolutionBackwardFilter(cudnnHandle_t handle, const void*,
                                             const cudnnTensorDescriptor_t x, const void*,
                                             const cudnnTensorDescriptor_t dy, const void*,
                                             const cudnnConvolutionDescriptor_t convolution,
                                             cudnnConvolutionBwdFilterAlgo_t algorithm, void* workspace,
                                             std::size_t workspace_bytes, const void*,
                                             const cudnnFilterDescriptor_t dw, void*) {
  return convolve(check(handle, x, dw, convolution, dy), handle, algorithm == kBackwardFilter, workspace,
                  workspace_bytes);
}
