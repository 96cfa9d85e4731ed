// cuDNN's version, and the names of the statuses that it returns here.
#include <cstdio>

#pragma GCC visibility push(default)
#include <cudnn.h>
#pragma GCC visibility pop

#include "dry_gpu/cuda_api.hpp"

std::size_t cudnnGetVersion() {
  return CUDNN_VERSION;
}
std::size_t cudnnGetCudartVersion() {
  return CUDART_VERSION;
}
std::size_t cudnnGetMaxDeviceVersion() {
  return 1210;
}

const char* cudnnGetErrorString(cudnnStatus_t status) {
  switch (status) {
    case CUDNN_STATUS_SUCCESS:
      return "CUDNN_STATUS_SUCCESS";
    case CUDNN_STATUS_NOT_INITIALIZED:
      return "CUDNN_STATUS_NOT_INITIALIZED";
    case CUDNN_STATUS_BAD_PARAM:
      return "CUDNN_STATUS_BAD_PARAM";
    case CUDNN_STATUS_NOT_SUPPORTED:
      return "CUDNN_STATUS_NOT_SUPPORTED";
    case CUDNN_STATUS_INTERNAL_ERROR:
      return "CUDNN_STATUS_INTERNAL_ERROR";
    case CUDNN_STATUS_EXECUTION_FAILED:
      return "CUDNN_STATUS_EXECUTION_FAILED";
    default:
      return "a cuDNN status that the dry GPU does not return";
  }
}

void cudnnGetLastErrorString(char* message, std::size_t bytes) {
  if (message != nullptr && bytes > 0)
    std::snprintf(message, bytes, "%s", "no more is known: this is a dry GPU");
}
