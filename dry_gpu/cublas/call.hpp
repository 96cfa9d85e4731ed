// A cuBLAS handle, and what every function that takes one does first.
#pragma once

#include <cstddef>
#include <type_traits>

#pragma GCC visibility push(default)
#include <cublas_v2.h>
#pragma GCC visibility pop

#include "dry_gpu/cudart/call.hpp"

struct cublasContext {
  int device = 0;
  cudaStream_t stream = nullptr;
  cublasMath_t math_mode = CUBLAS_DEFAULT_MATH;
  cublasPointerMode_t pointer_mode = CUBLAS_POINTER_MODE_HOST;
  cublasAtomicsMode_t atomics_mode = CUBLAS_ATOMICS_NOT_ALLOWED;
  int multiprocessors = 0;  // to use; 0: all
  void* workspace = nullptr;
  std::size_t workspace_bytes = 0;
};

namespace strata::dry_gpu {

// Calls `body(handle)`, which returns a cublasStatus_t or nothing.
template <typename Body>
cublasStatus_t call_cublas(cublasHandle_t handle, Body&& body) noexcept {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  if constexpr (std::is_void_v<decltype(body(*handle))>) {
    body(*handle);
    return CUBLAS_STATUS_SUCCESS;
  } else {
    return body(*handle);
  }
}

}  // namespace strata::dry_gpu
