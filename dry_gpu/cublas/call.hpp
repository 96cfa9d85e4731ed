// SPDX-License-Identifier: Apache-2.0
// A cuBLAS handle, and the first steps of every function that takes one.
#pragma once

#include <cstddef>
#include <utility>

#pragma GCC visibility push(default)
#include <cublas_v2.h>
#pragma GCC visibility pop

#include "dry_gpu/cudart/library_call.hpp"

struct cublasContext {
  int device = 0;
  cudaStream_t stream = nullptr;
  cublasMath_t math_mode = CUBLAS_DEFAULT_MATH;
  cublasPointerMode_t pointer_mode = CUBLAS_POINTER_MODE_HOST;
  cublasAtomicsMode_t atomics_mode = CUBLAS_ATOMICS_NOT_ALLOWED;
  int multiprocessors = 0;  // the number to use; 0: all
  void* workspace = nullptr;
  std::size_t workspace_bytes = 0;
};

namespace strata::dry_gpu {

static_assert(begins_as_library_handle<cublasContext>());

// Calls `body(handle)`, which returns a cublasStatus_t or void.
template <typename Body>
cublasStatus_t call_cublas(cublasHandle_t handle, Body&& body) noexcept {
  return call_with_handle<CUBLAS_STATUS_NOT_INITIALIZED>(handle, std::forward<Body>(body));
}

}  // namespace strata::dry_gpu
