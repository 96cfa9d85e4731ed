// SPDX-License-Identifier: Apache-2.0
// cuBLAS handles and their settings. The first one takes cuBLAS's part of the context; LibTorch gives it a
// workspace of its own.
#include <memory>

#include "dry_gpu/cublas/call.hpp"

using namespace strata::dry_gpu;

cublasStatus_t cublasCreate_v2(cublasHandle_t* result) {
  if (result == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  return make_handle<CUBLAS_STATUS_ALLOC_FAILED, CUBLAS_STATUS_NOT_INITIALIZED>(
      ContextPart::kCublas, [&](int device) {
        *result = std::make_unique<cublasContext>(cublasContext{.device = device}).release();
      });
}

cublasStatus_t cublasDestroy_v2(cublasHandle_t handle) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  const std::unique_ptr<cublasContext> owned(handle);
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasGetVersion_v2(cublasHandle_t, int* version) {
  *version = CUBLAS_VERSION;
  return CUBLAS_STATUS_SUCCESS;
}

std::size_t cublasGetCudartVersion() {
  return CUDART_VERSION;
}

// As in the real library: setting a stream resets a user workspace.
cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, cudaStream_t stream) {
  return call_cublas(handle, [&](cublasContext& context) {
    context.stream = stream;
    context.workspace = nullptr;
    context.workspace_bytes = 0;
  });
}

cublasStatus_t cublasGetStream_v2(cublasHandle_t handle, cudaStream_t* stream) {
  return call_cublas(handle, [&](cublasContext& context) { *stream = context.stream; });
}

cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t handle, void* workspace, std::size_t bytes) {
  return call_cublas(handle, [&](cublasContext& context) {
    context.workspace = workspace;
    context.workspace_bytes = bytes;
  });
}

cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode) {
  return call_cublas(handle, [&](cublasContext& context) { context.math_mode = mode; });
}

cublasStatus_t cublasGetMathMode(cublasHandle_t handle, cublasMath_t* mode) {
  return call_cublas(handle, [&](cublasContext& context) { *mode = context.math_mode; });
}

cublasStatus_t cublasSetPointerMode_v2(cublasHandle_t handle, cublasPointerMode_t mode) {
  return call_cublas(handle, [&](cublasContext& context) { context.pointer_mode = mode; });
}

cublasStatus_t cublasGetPointerMode_v2(cublasHandle_t handle, cublasPointerMode_t* mode) {
  return call_cublas(handle, [&](cublasContext& context) { *mode = context.pointer_mode; });
}

cublasStatus_t cublasSetAtomicsMode(cublasHandle_t handle, cublasAtomicsMode_t mode) {
  return call_cublas(handle, [&](cublasContext& context) { context.atomics_mode = mode; });
}

cublasStatus_t cublasGetAtomicsMode(cublasHandle_t handle, cublasAtomicsMode_t* mode) {
  return call_cublas(handle, [&](cublasContext& context) { *mode = context.atomics_mode; });
}

cublasStatus_t cublasSetSmCountTarget(cublasHandle_t handle, int multiprocessors) {
  return call_cublas(handle, [&](cublasContext& context) { context.multiprocessors = multiprocessors; });
}

cublasStatus_t cublasGetSmCountTarget(cublasHandle_t handle, int* multiprocessors) {
  return call_cublas(handle, [&](cublasContext& context) { *multiprocessors = context.multiprocessors; });
}
