// SPDX-License-Identifier: Apache-2.0
// Batched solvers that report to the host whether their arguments were valid: they always were.
#include "dry_gpu/cublas/call.hpp"

using namespace strata::dry_gpu;

namespace {

cublasStatus_t succeed(cublasHandle_t handle, int* info) {
  return call_cublas(handle, [&](cublasContext&) {
    if (const MachineState state = machine(); state.machine != nullptr)
      state.machine->counts().library_calls.add();
    *info = 0;
  });
}

}  // namespace

// NOLINTBEGIN(bugprone-macro-parentheses): TYPE is a type
#define STRATA_BATCHED(LETTER, TYPE)                                                                       \
  cublasStatus_t cublas##LETTER##getrsBatched(cublasHandle_t handle, cublasOperation_t, int, int,          \
                                              const TYPE* const*, int, const int*, TYPE* const*, int,      \
                                              int* info, int) {                                            \
    return succeed(handle, info);                                                                          \
  }                                                                                                        \
  cublasStatus_t cublas##LETTER##geqrfBatched(cublasHandle_t handle, int, int, TYPE* const*, int,          \
                                              TYPE* const*, int* info, int) {                              \
    return succeed(handle, info);                                                                          \
  }                                                                                                        \
  cublasStatus_t cublas##LETTER##gelsBatched(cublasHandle_t handle, cublasOperation_t, int, int, int,      \
                                             TYPE* const*, int, TYPE* const*, int, int* info, int*, int) { \
    return succeed(handle, info);                                                                          \
  }
// NOLINTEND(bugprone-macro-parentheses)

STRATA_BATCHED(S, float)
STRATA_BATCHED(D, double)
STRATA_BATCHED(C, cuComplex)
STRATA_BATCHED(Z, cuDoubleComplex)
