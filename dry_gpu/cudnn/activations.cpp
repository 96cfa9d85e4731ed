// SPDX-License-Identifier: Apache-2.0
// Activation and pooling descriptors. The operations that use them only write values (cudnn.effectless.txt).
#include "dry_gpu/cudnn/call.hpp"

using namespace strata::dry_gpu;

struct cudnnActivationStruct {
  cudnnActivationMode_t mode = CUDNN_ACTIVATION_SIGMOID;
  cudnnNanPropagation_t nan = CUDNN_NOT_PROPAGATE_NAN;
  double coefficient = 0;
};

struct cudnnPoolingStruct {
  cudnnPoolingMode_t mode = CUDNN_POOLING_MAX;
  cudnnNanPropagation_t nan = CUDNN_NOT_PROPAGATE_NAN;
  int window_height = 0, window_width = 0;
  int vertical_padding = 0, horizontal_padding = 0;
  int vertical_stride = 0, horizontal_stride = 0;
};

cudnnStatus_t cudnnCreateActivationDescriptor(cudnnActivationDescriptor_t* result) {
  return create(result);
}
cudnnStatus_t cudnnDestroyActivationDescriptor(cudnnActivationDescriptor_t activation) {
  return destroy(activation);
}
cudnnStatus_t cudnnSetActivationDescriptor(cudnnActivationDescriptor_t activation, cudnnActivationMode_t mode,
                                           cudnnNanPropagation_t nan, double coefficient) {
  if (activation == nullptr || !is_at_most(mode, CUDNN_ACTIVATION_SWISH) ||
      !is_at_most(nan, CUDNN_PROPAGATE_NAN))
    return CUDNN_STATUS_BAD_PARAM;
  *activation = {.mode = mode, .nan = nan, .coefficient = coefficient};
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnGetActivationDescriptor(const cudnnActivationDescriptor_t activation,
                                           cudnnActivationMode_t* mode, cudnnNanPropagation_t* nan,
                                           double* coefficient) {
  if (has_null(activation, mode, nan, coefficient)) return CUDNN_STATUS_BAD_PARAM;
  *mode = activation->mode;
  *nan = activation->nan;
  *coefficient = activation->coefficient;
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnCreatePoolingDescriptor(cudnnPoolingDescriptor_t* result) {
  return create(result);
}
cudnnStatus_t cudnnDestroyPoolingDescriptor(cudnnPoolingDescriptor_t pooling) {
  return destroy(pooling);
}
cudnnStatus_t cudnnSetPooling2dDescriptor(cudnnPoolingDescriptor_t pooling, cudnnPoolingMode_t mode,
                                          cudnnNanPropagation_t nan, int window_height, int window_width,
                                          int vertical_padding, int horizontal_padding, int vertical_stride,
                                          int horizontal_stride) {
  if (pooling == nullptr || !is_at_most(mode, CUDNN_POOLING_MAX_DETERMINISTIC) ||
      !is_at_most(nan, CUDNN_PROPAGATE_NAN) || window_height < 1 || window_width < 1 || vertical_stride < 1 ||
      horizontal_stride < 1)
    return CUDNN_STATUS_BAD_PARAM;
  *pooling = {.mode = mode,
              .nan = nan,
              .window_height = window_height,
              .window_width = window_width,
              .vertical_padding = vertical_padding,
              .horizontal_padding = horizontal_padding,
              .vertical_stride = vertical_stride,
              .horizontal_stride = horizontal_stride};
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnGetPooling2dDescriptor(const cudnnPoolingDescriptor_t pooling, cudnnPoolingMode_t* mode,
                                          cudnnNanPropagation_t* nan, int* window_height, int* window_width,
                                          int* vertical_padding, int* horizontal_padding,
                                          int* vertical_stride, int* horizontal_stride) {
  if (pooling == nullptr) return CUDNN_STATUS_BAD_PARAM;
  give(mode, pooling->mode);
  give(nan, pooling->nan);
  give(window_height, pooling->window_height);
  give(window_width, pooling->window_width);
  give(vertical_padding, pooling->vertical_padding);
  give(horizontal_padding, pooling->horizontal_padding);
  give(vertical_stride, pooling->vertical_stride);
  give(horizontal_stride, pooling->horizontal_stride);
  return CUDNN_STATUS_SUCCESS;
}
