// SPDX-License-Identifier: Apache-2.0
#include "dry_gpu/cudnn/tensors.hpp"

#include <algorithm>

namespace strata::dry_gpu {

std::size_t bytes_of(cudnnDataType_t type) {
  switch (type) {
    case CUDNN_DATA_INT8:
    case CUDNN_DATA_UINT8:
      return 1;
    case CUDNN_DATA_HALF:
    case CUDNN_DATA_BFLOAT16:
      return 2;
    case CUDNN_DATA_DOUBLE:
      return 8;
    case CUDNN_DATA_INT8x32:
      return 32;
    default:
      return 4;
  }
}

}  // namespace strata::dry_gpu

using namespace strata::dry_gpu;

namespace {

bool are_positive(const int* numbers, int count) {
  return std::all_of(numbers, numbers + count, [](int number) { return number > 0; });
}

// Dense strides: with the channels last of all (NHWC), or where they stand.
std::array<int, CUDNN_DIM_MAX> dense_strides(cudnnTensorFormat_t format, int dimensions, const int* sizes) {
  std::array<int, CUDNN_DIM_MAX> strides{};
  std::uint64_t stride = 1;  // the last one is of all elements, which may be more than an int can count
  const auto lay = [&](int dimension) {
    strides[static_cast<std::size_t>(dimension)] = static_cast<int>(stride);
    stride *= static_cast<std::uint64_t>(sizes[dimension]);
  };
  if (format == CUDNN_TENSOR_NHWC) lay(1);
  for (int dimension = dimensions - 1; dimension > 1; --dimension) lay(dimension);
  if (format != CUDNN_TENSOR_NHWC) lay(1);
  lay(0);
  return strides;
}

cudnnStatus_t set_filter(cudnnFilterDescriptor_t filter, cudnnDataType_t type, cudnnTensorFormat_t format,
                         int dimensions, const int* sizes) {
  if (has_null(filter, sizes) || dimensions < 3) return CUDNN_STATUS_BAD_PARAM;
  if (dimensions > CUDNN_DIM_MAX) return CUDNN_STATUS_NOT_SUPPORTED;
  const bool is_vector =
      type == CUDNN_DATA_INT8x4 || type == CUDNN_DATA_UINT8x4 || type == CUDNN_DATA_INT8x32;
  if (!is_at_most(type, CUDNN_DATA_BFLOAT16) || type == CUDNN_DATA_INT32 ||
      !is_at_most(format, is_vector ? CUDNN_TENSOR_NCHW_VECT_C : CUDNN_TENSOR_NHWC) ||
      !are_positive(sizes, dimensions))
    return CUDNN_STATUS_BAD_PARAM;
  *filter = {.type = type, .format = format, .dimensions = dimensions};
  std::copy_n(sizes, dimensions, filter->sizes.begin());
  return CUDNN_STATUS_SUCCESS;
}

}  // namespace

cudnnStatus_t cudnnCreateTensorDescriptor(cudnnTensorDescriptor_t* result) {
  return create(result);
}
cudnnStatus_t cudnnDestroyTensorDescriptor(cudnnTensorDescriptor_t tensor) {
  return destroy(tensor);
}

cudnnStatus_t cudnnSetTensorNdDescriptor(cudnnTensorDescriptor_t tensor, cudnnDataType_t type, int dimensions,
                                         const int sizes[], const int strides[]) {
  if (has_null(tensor, sizes, strides) || dimensions < 2) return CUDNN_STATUS_BAD_PARAM;
  if (dimensions > CUDNN_DIM_MAX) return CUDNN_STATUS_NOT_SUPPORTED;
  if (!is_at_most(type, CUDNN_DATA_BFLOAT16) || !are_positive(sizes, dimensions) ||
      std::find(strides, strides + dimensions, 0) != strides + dimensions)
    return CUDNN_STATUS_BAD_PARAM;
  *tensor = {.type = type, .dimensions = dimensions};
  std::copy_n(sizes, dimensions, tensor->sizes.begin());
  std::copy_n(strides, dimensions, tensor->strides.begin());
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnSetTensorNdDescriptorEx(cudnnTensorDescriptor_t tensor, cudnnTensorFormat_t format,
                                           cudnnDataType_t type, int dimensions, const int sizes[]) {
  if (has_null(tensor, sizes) || !is_at_most(format, CUDNN_TENSOR_NHWC) || dimensions < 2)
    return CUDNN_STATUS_BAD_PARAM;
  if (dimensions > CUDNN_DIM_MAX) return CUDNN_STATUS_NOT_SUPPORTED;
  return cudnnSetTensorNdDescriptor(tensor, type, dimensions, sizes,
                                    dense_strides(format, dimensions, sizes).data());
}

cudnnStatus_t cudnnSetTensor4dDescriptor(cudnnTensorDescriptor_t tensor, cudnnTensorFormat_t format,
                                         cudnnDataType_t type, int n, int c, int h, int w) {
  const std::array<int, 4> sizes = {n, c, h, w};
  return cudnnSetTensorNdDescriptorEx(tensor, format, type, 4, sizes.data());
}

cudnnStatus_t cudnnSetTensor4dDescriptorEx(cudnnTensorDescriptor_t tensor, cudnnDataType_t type, int n, int c,
                                           int h, int w, int n_stride, int c_stride, int h_stride,
                                           int w_stride) {
  const std::array<int, 4> sizes = {n, c, h, w};
  const std::array<int, 4> strides = {n_stride, c_stride, h_stride, w_stride};
  return cudnnSetTensorNdDescriptor(tensor, type, 4, sizes.data(), strides.data());
}

cudnnStatus_t cudnnGetTensorNdDescriptor(const cudnnTensorDescriptor_t tensor, int requested,
                                         cudnnDataType_t* type, int* dimensions, int sizes[], int strides[]) {
  if (has_null(tensor, type, dimensions, sizes, strides)) return CUDNN_STATUS_BAD_PARAM;
  *type = tensor->type;
  *dimensions = tensor->dimensions;
  const int given = std::clamp(requested, 0, tensor->dimensions);
  std::copy_n(tensor->sizes.begin(), given, sizes);
  std::copy_n(tensor->strides.begin(), given, strides);
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnGetTensorSizeInBytes(const cudnnTensorDescriptor_t tensor, std::size_t* bytes) {
  if (has_null(tensor, bytes)) return CUDNN_STATUS_BAD_PARAM;
  std::size_t last = 0;  // element, counted from the first
  for (std::size_t dimension = 0; dimension < static_cast<std::size_t>(tensor->dimensions); ++dimension) {
    last += static_cast<std::size_t>(tensor->sizes[dimension] - 1) *
            static_cast<std::size_t>(tensor->strides[dimension]);
  }
  *bytes = tensor->dimensions == 0 ? 0 : (last + 1) * bytes_of(tensor->type);
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnCreateFilterDescriptor(cudnnFilterDescriptor_t* result) {
  return create(result);
}
cudnnStatus_t cudnnDestroyFilterDescriptor(cudnnFilterDescriptor_t filter) {
  return destroy(filter);
}

cudnnStatus_t cudnnSetFilterNdDescriptor(cudnnFilterDescriptor_t filter, cudnnDataType_t type,
                                         cudnnTensorFormat_t format, int dimensions, const int sizes[]) {
  return set_filter(filter, type, format, dimensions, sizes);
}

cudnnStatus_t cudnnSetFilter4dDescriptor(cudnnFilterDescriptor_t filter, cudnnDataType_t type,
                                         cudnnTensorFormat_t format, int k, int c, int h, int w) {
  const std::array<int, 4> sizes = {k, c, h, w};
  return set_filter(filter, type, format, 4, sizes.data());
}

cudnnStatus_t cudnnGetFilterNdDescriptor(const cudnnFilterDescriptor_t filter, int requested,
                                         cudnnDataType_t* type, cudnnTensorFormat_t* format, int* dimensions,
                                         int sizes[]) {
  if (has_null(filter, type, format, dimensions, sizes) || requested < 1) return CUDNN_STATUS_BAD_PARAM;
  *type = filter->type;
  *format = filter->format;
  *dimensions = filter->dimensions;
  std::copy_n(filter->sizes.begin(), std::min(requested, filter->dimensions), sizes);
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnGetFilterSizeInBytes(const cudnnFilterDescriptor_t filter, std::size_t* bytes) {
  if (has_null(filter, bytes)) return CUDNN_STATUS_BAD_PARAM;
  std::size_t elements = filter->dimensions == 0 ? 0 : 1;
  for (int dimension = 0; dimension < filter->dimensions; ++dimension)
    elements *= static_cast<std::size_t>(filter->sizes[static_cast<std::size_t>(dimension)]);
  *bytes = elements * bytes_of(filter->type);
  return CUDNN_STATUS_SUCCESS;
}
