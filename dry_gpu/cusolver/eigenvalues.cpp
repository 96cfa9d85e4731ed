// SPDX-License-Identifier: Apache-2.0
// Workspaces of eigenvalues and eigenvectors: of symmetric matrices by divide and conquer or by Jacobi's
// method, of others by QR steps.
#include "dry_gpu/cusolver/call.hpp"

using namespace strata::dry_gpu;

namespace {

bool is_decomposition(cusolverEigMode_t mode, std::int64_t n, std::int64_t lda) {
  const bool is_mode = mode == CUSOLVER_EIG_MODE_NOVECTOR || mode == CUSOLVER_EIG_MODE_VECTOR;
  return is_mode && is_matrix(n, n, lda);
}

}  // namespace

// NOLINTBEGIN(bugprone-macro-parentheses): TYPE and REAL are types
#define STRATA_SYMMETRIC(LETTER, KIND, TYPE, REAL)                                                      \
  cusolverStatus_t cusolverDn##LETTER##KIND##evd_bufferSize(                                            \
      cusolverDnHandle_t handle, cusolverEigMode_t mode, cublasFillMode_t, int n, const TYPE*, int lda, \
      const REAL*, int* elements) {                                                                     \
    return report_workspace<TYPE>(handle, is_decomposition(mode, n, lda), elements,                     \
                                  fitted::symmetric_eigenvalues(n));                                    \
  }                                                                                                     \
  cusolverStatus_t cusolverDn##LETTER##KIND##evj_bufferSize(                                            \
      cusolverDnHandle_t handle, cusolverEigMode_t mode, cublasFillMode_t, int n, const TYPE*, int lda, \
      const REAL*, int* elements, syevjInfo_t) {                                                        \
    return report_workspace<TYPE>(handle, is_decomposition(mode, n, lda), elements,                     \
                                  fitted::jacobi_eigenvalues(n));                                       \
  }                                                                                                     \
  cusolverStatus_t cusolverDn##LETTER##KIND##evjBatched_bufferSize(                                     \
      cusolverDnHandle_t handle, cusolverEigMode_t mode, cublasFillMode_t, int n, const TYPE*, int lda, \
      const REAL*, int* elements, syevjInfo_t, int batch) {                                             \
    return report_workspace<TYPE>(handle, is_decomposition(mode, n, lda) && batch >= 0, elements);      \
  }
// NOLINTEND(bugprone-macro-parentheses)

STRATA_SYMMETRIC(S, sy, float, float)
STRATA_SYMMETRIC(D, sy, double, double)
STRATA_SYMMETRIC(C, he, cuComplex, float)
STRATA_SYMMETRIC(Z, he, cuDoubleComplex, double)

cusolverStatus_t cusolverDnXsyevd_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t,
                                             cusolverEigMode_t mode, cublasFillMode_t, std::int64_t n,
                                             cudaDataType, const void*, std::int64_t lda, cudaDataType,
                                             const void*, cudaDataType compute_type,
                                             std::size_t* device_bytes, std::size_t* host_bytes) {
  return report_workspaces(handle, is_decomposition(mode, n, lda), device_bytes, host_bytes,
                           fitted::symmetric_eigenvalues(n), compute_type);
}

cusolverStatus_t cusolverDnXsyevBatched_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t,
                                                   cusolverEigMode_t mode, cublasFillMode_t, std::int64_t n,
                                                   cudaDataType, const void*, std::int64_t lda, cudaDataType,
                                                   const void*, cudaDataType, std::size_t* device_bytes,
                                                   std::size_t* host_bytes, std::int64_t batch) {
  return report_workspaces(handle, is_decomposition(mode, n, lda) && batch >= 0, device_bytes, host_bytes);
}

cusolverStatus_t cusolverDnXgeev_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t,
                                            cusolverEigMode_t left, cusolverEigMode_t right, std::int64_t n,
                                            cudaDataType, const void*, std::int64_t lda, cudaDataType,
                                            const void*, cudaDataType, const void*, std::int64_t ldvl,
                                            cudaDataType, const void*, std::int64_t ldvr,
                                            cudaDataType compute_type, std::size_t* device_bytes,
                                            std::size_t* host_bytes) {
  const bool is_valid = is_decomposition(left, n, lda) && is_decomposition(right, n, lda) && ldvl >= 1 &&
                        ldvr >= (right == CUSOLVER_EIG_MODE_VECTOR ? std::max<std::int64_t>(1, n) : 1);
  return report_workspaces(handle, is_valid, device_bytes, host_bytes, fitted::eigenvalues(n), compute_type);
}
