// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "dry_gpu/cudnn/convolution.hpp"

using namespace strata::dry_gpu;

namespace strata::dry_gpu {

std::optional<std::vector<int>> output_sizes(const cudnnConvolutionStruct& convolution,
                                             const cudnnTensorStruct& input,
                                             const cudnnFilterStruct& filter) {
  if (input.dimensions != filter.dimensions || input.dimensions != convolution.dimensions + 2 ||
      filter.sizes[1] * convolution.groups != input.sizes[1])
    return std::nullopt;
  std::vector<int> sizes = {input.sizes[0], filter.sizes[0]};
  for (std::size_t direction = 0; direction < static_cast<std::size_t>(convolution.dimensions); ++direction) {
    const int reach = (filter.sizes[direction + 2] - 1) * convolution.dilations[direction] + 1;
    const int room = input.sizes[direction + 2] + 2 * convolution.padding[direction] - reach;
    if (room < 0) return std::nullopt;
    sizes.push_back(1 + room / convolution.strides[direction]);
  }
  return sizes;
}

}  // namespace strata::dry_gpu

cudnnStatus_t cudnnCreateConvolutionDescriptor(cudnnConvolutionDescriptor_t* result) {
  return create(result);
}
cudnnStatus_t cudnnDestroyConvolutionDescriptor(cudnnConvolutionDescriptor_t convolution) {
  return destroy(convolution);
}

cudnnStatus_t cudnnSetConvolutionNdDescriptor(cudnnConvolutionDescriptor_t convolution, int dimensions,
                                              const int padding[], const int strides[], const int dilations[],
                                              cudnnConvolutionMode_t mode, cudnnDataType_t compute_type) {
  if (has_null(convolution, padding, strides, dilations) || dimensions < 0) return CUDNN_STATUS_BAD_PARAM;
  if (dimensions > cudnnConvolutionStruct::kMostDimensions) return CUDNN_STATUS_NOT_SUPPORTED;
  const bool is_computed = compute_type == CUDNN_DATA_FLOAT || compute_type == CUDNN_DATA_DOUBLE ||
                           compute_type == CUDNN_DATA_HALF || compute_type == CUDNN_DATA_INT32;
  if (!is_computed || !is_at_most(mode, CUDNN_CROSS_CORRELATION)) return CUDNN_STATUS_BAD_PARAM;
  for (int direction = 0; direction < dimensions; ++direction) {
    if (padding[direction] < 0 || strides[direction] < 1 || dilations[direction] < 1)
      return CUDNN_STATUS_BAD_PARAM;
  }
  convolution->dimensions = dimensions;
  std::copy_n(padding, dimensions, convolution->padding.begin());
  std::copy_n(strides, dimensions, convolution->strides.begin());
  std::copy_n(dilations, dimensions, convolution->dilations.begin());
  convolution->mode = mode;
  convolution->compute_type = compute_type;
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnGetConvolutionNdDescriptor(const cudnnConvolutionDescriptor_t convolution, int requested,
                                              int* dimensions, int padding[], int strides[], int dilations[],
                                              cudnnConvolutionMode_t* mode, cudnnDataType_t* compute_type) {
  if (has_null(convolution, dimensions, padding, strides, dilations, mode, compute_type))
    return CUDNN_STATUS_BAD_PARAM;
  if (requested > cudnnConvolutionStruct::kMostDimensions) return CUDNN_STATUS_NOT_SUPPORTED;
  *dimensions = convolution->dimensions;
  *mode = convolution->mode;
  *compute_type = convolution->compute_type;
  const int given = std::max(requested, 0);  // also beyond its dimensions, as the real one
  std::copy_n(convolution->padding.begin(), given, padding);
  std::copy_n(convolution->strides.begin(), given, strides);
  std::copy_n(convolution->dilations.begin(), given, dilations);
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnGetConvolutionNdForwardOutputDim(const cudnnConvolutionDescriptor_t convolution,
                                                    const cudnnTensorDescriptor_t input,
                                                    const cudnnFilterDescriptor_t filter, int dimensions,
                                                    int result[]) {
  return answer([&] {
    if (has_null(convolution, input, filter, result)) return CUDNN_STATUS_BAD_PARAM;
    const std::optional<std::vector<int>> sizes = output_sizes(*convolution, *input, *filter);
    if (!sizes) return CUDNN_STATUS_BAD_PARAM;
    std::copy_n(sizes->begin(), std::clamp(dimensions, 0, static_cast<int>(sizes->size())), result);
    return CUDNN_STATUS_SUCCESS;
  });
}

cudnnStatus_t cudnnSetConvolutionGroupCount(cudnnConvolutionDescriptor_t convolution, int groups) {
  if (convolution == nullptr || groups < 1) return CUDNN_STATUS_BAD_PARAM;
  convolution->groups = groups;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnGetConvolutionGroupCount(cudnnConvolutionDescriptor_t convolution, int* groups) {
  if (has_null(convolution, groups)) return CUDNN_STATUS_BAD_PARAM;
  *groups = convolution->groups;
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnSetConvolutionMathType(cudnnConvolutionDescriptor_t convolution, cudnnMathType_t math) {
  if (convolution == nullptr || !is_at_most(math, CUDNN_FMA_MATH)) return CUDNN_STATUS_BAD_PARAM;
  convolution->math = math;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnGetConvolutionMathType(cudnnConvolutionDescriptor_t convolution, cudnnMathType_t* math) {
  if (has_null(convolution, math)) return CUDNN_STATUS_BAD_PARAM;
  *math = convolution->math;
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnSetConvolutionReorderType(cudnnConvolutionDescriptor_t convolution,
                                             cudnnReorderType_t reorder) {
  if (convolution == nullptr || !is_at_most(reorder, CUDNN_NO_REORDER)) return CUDNN_STATUS_BAD_PARAM;
  convolution->reorder = reorder;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnGetConvolutionReorderType(cudnnConvolutionDescriptor_t convolution,
                                             cudnnReorderType_t* reorder) {
  if (has_null(convolution, reorder)) return CUDNN_STATUS_BAD_PARAM;
  *reorder = convolution->reorder;
  return CUDNN_STATUS_SUCCESS;
}
