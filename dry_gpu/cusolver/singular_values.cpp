// SPDX-License-Identifier: Apache-2.0
// Workspaces of singular value decompositions, and the one with a result on the host.
#include <algorithm>
#include <span>

#include "dry_gpu/cusolver/call.hpp"
#include "dry_gpu/device/unknown_reads.hpp"

using namespace strata::dry_gpu;

namespace {

bool is_decomposition(cusolverEigMode_t mode, std::int64_t m, std::int64_t n, std::int64_t lda) {
  const bool is_mode = mode == CUSOLVER_EIG_MODE_NOVECTOR || mode == CUSOLVER_EIG_MODE_VECTOR;
  return is_mode && is_matrix(m, n, lda);
}

// The approximate method, whose residuals, one per matrix, are on the host.
cusolverStatus_t approximate(cusolverDnHandle_t handle, bool is_valid, double* residuals, int batch) {
  return call_cusolver(handle, [&](cusolverDnContext&) {
    if (!is_valid || batch < 0) return CUSOLVER_STATUS_INVALID_VALUE;
    const MachineState state = machine();
    if (state.machine == nullptr) return CUSOLVER_STATUS_NOT_INITIALIZED;
    state.machine->counts().library_calls.add();
    if (residuals == nullptr) return CUSOLVER_STATUS_SUCCESS;
    const std::span<double> all(residuals, static_cast<std::size_t>(batch));
    std::ranges::fill(all, 0.0);
    read_unknown(*state.machine, std::as_writable_bytes(all));
    return CUSOLVER_STATUS_SUCCESS;
  });
}

}  // namespace

// NOLINTBEGIN(bugprone-macro-parentheses): TYPE and REAL are types
#define STRATA_SINGULAR_VALUES(LETTER, TYPE, REAL)                                                           \
  cusolverStatus_t cusolverDn##LETTER##gesvd_bufferSize(cusolverDnHandle_t handle, int m, int n,             \
                                                        int* elements) {                                     \
    return report_workspace<TYPE>(handle, is_matrix(m, n, std::max(1, m)), elements);                        \
  }                                                                                                          \
  cusolverStatus_t cusolverDn##LETTER##gesvdj_bufferSize(                                                    \
      cusolverDnHandle_t handle, cusolverEigMode_t mode, int, int m, int n, const TYPE*, int lda,            \
      const REAL*, const TYPE*, int, const TYPE*, int, int* elements, gesvdjInfo_t) {                        \
    return report_workspace<TYPE>(handle, is_decomposition(mode, m, n, lda), elements,                       \
                                  fitted::jacobi_svd(m, n));                                                 \
  }                                                                                                          \
  cusolverStatus_t cusolverDn##LETTER##gesvdjBatched_bufferSize(                                             \
      cusolverDnHandle_t handle, cusolverEigMode_t mode, int m, int n, const TYPE*, int lda, const REAL*,    \
      const TYPE*, int, const TYPE*, int, int* elements, gesvdjInfo_t, int batch) {                          \
    /* Documented: at most 32 rows and columns. */                                                           \
    const bool is_valid = is_decomposition(mode, m, n, lda) && m <= 32 && n <= 32 && batch >= 0;             \
    return report_workspace<TYPE>(handle, is_valid, elements);                                               \
  }                                                                                                          \
  cusolverStatus_t cusolverDn##LETTER##gesvdaStridedBatched_bufferSize(                                      \
      cusolverDnHandle_t handle, cusolverEigMode_t mode, int rank, int m, int n, const TYPE*, int lda,       \
      long long, const REAL*, long long, const TYPE*, int, long long, const TYPE*, int, long long,           \
      int* elements, int batch) {                                                                            \
    const bool is_valid = is_decomposition(mode, m, n, lda) && rank >= 0 && batch >= 0;                      \
    return report_workspace<TYPE>(handle, is_valid, elements);                                               \
  }                                                                                                          \
  cusolverStatus_t cusolverDn##LETTER##gesvdaStridedBatched(                                                 \
      cusolverDnHandle_t handle, cusolverEigMode_t mode, int, int m, int n, const TYPE*, int lda, long long, \
      REAL*, long long, TYPE*, int, long long, TYPE*, int, long long, TYPE*, int, int*, double* residuals,   \
      int batch) {                                                                                           \
    return approximate(handle, is_decomposition(mode, m, n, lda), residuals, batch);                         \
  }
// NOLINTEND(bugprone-macro-parentheses)

STRATA_SINGULAR_VALUES(S, float, float)
STRATA_SINGULAR_VALUES(D, double, double)
STRATA_SINGULAR_VALUES(C, cuComplex, float)
STRATA_SINGULAR_VALUES(Z, cuDoubleComplex, double)

cusolverStatus_t cusolverDnXgesvd_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t, signed char,
                                             signed char, std::int64_t m, std::int64_t n, cudaDataType,
                                             const void*, std::int64_t lda, cudaDataType, const void*,
                                             cudaDataType, const void*, std::int64_t, cudaDataType,
                                             const void*, std::int64_t, cudaDataType,
                                             std::size_t* device_bytes, std::size_t* host_bytes) {
  return report_workspaces(handle, is_matrix(m, n, lda), device_bytes, host_bytes);
}
