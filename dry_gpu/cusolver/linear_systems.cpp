// SPDX-License-Identifier: Apache-2.0
// Workspaces of the factorisations that solve linear systems: Cholesky's, LU, and Bunch's and Kaufman's LDL.
#include "dry_gpu/cusolver/call.hpp"

using namespace strata::dry_gpu;

// NOLINTBEGIN(bugprone-macro-parentheses): TYPE is a type
// FITTED: how many elements, or std::nullopt
#define STRATA_TRIANGULAR(NAME, TYPE, FITTED)                                                            \
  cusolverStatus_t NAME##_bufferSize(cusolverDnHandle_t handle, cublasFillMode_t, int n, TYPE*, int lda, \
                                     int* elements) {                                                    \
    return report_workspace<TYPE>(handle, is_matrix(n, n, lda), elements, FITTED);                       \
  }
#define STRATA_LINEAR_SYSTEMS(LETTER, TYPE)                                                                 \
  STRATA_TRIANGULAR(cusolverDn##LETTER##potrf, TYPE, fitted::cholesky(n))                                   \
  STRATA_TRIANGULAR(cusolverDn##LETTER##potri, TYPE, std::nullopt)                                          \
  STRATA_TRIANGULAR(cusolverDn##LETTER##lauum, TYPE, std::nullopt)                                          \
  cusolverStatus_t cusolverDn##LETTER##getrf_bufferSize(cusolverDnHandle_t handle, int m, int n, TYPE*,     \
                                                        int lda, int* elements) {                           \
    return report_workspace<TYPE>(handle, is_matrix(m, n, lda), elements, fitted::lu(m, n));                \
  }                                                                                                         \
  cusolverStatus_t cusolverDn##LETTER##sytrf_bufferSize(cusolverDnHandle_t handle, int n, TYPE*, int lda,   \
                                                        int* elements) {                                    \
    return report_workspace<TYPE>(handle, is_matrix(n, n, lda), elements);                                  \
  }                                                                                                         \
  cusolverStatus_t cusolverDn##LETTER##sytri_bufferSize(cusolverDnHandle_t handle, cublasFillMode_t, int n, \
                                                        TYPE*, int lda, const int*, int* elements) {        \
    return report_workspace<TYPE>(handle, is_matrix(n, n, lda), elements);                                  \
  }
// NOLINTEND(bugprone-macro-parentheses)

STRATA_LINEAR_SYSTEMS(S, float)
STRATA_LINEAR_SYSTEMS(D, double)
STRATA_LINEAR_SYSTEMS(C, cuComplex)
STRATA_LINEAR_SYSTEMS(Z, cuDoubleComplex)

cusolverStatus_t cusolverDnXpotrf_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t, cublasFillMode_t,
                                             std::int64_t n, cudaDataType, const void*, std::int64_t lda,
                                             cudaDataType compute_type, std::size_t* device_bytes,
                                             std::size_t* host_bytes) {
  return report_workspaces(handle, is_matrix(n, n, lda), device_bytes, host_bytes, fitted::cholesky(n),
                           compute_type);
}

cusolverStatus_t cusolverDnXgetrf_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t, std::int64_t m,
                                             std::int64_t n, cudaDataType, const void*, std::int64_t lda,
                                             cudaDataType compute_type, std::size_t* device_bytes,
                                             std::size_t* host_bytes) {
  return report_workspaces(handle, is_matrix(m, n, lda), device_bytes, host_bytes, fitted::lu(m, n),
                           compute_type);
}

cusolverStatus_t cusolverDnXsytrs_bufferSize(cusolverDnHandle_t handle, cublasFillMode_t, std::int64_t n,
                                             std::int64_t columns, cudaDataType, const void*,
                                             std::int64_t lda, const std::int64_t*, cudaDataType, void*,
                                             std::int64_t ldb, std::size_t* device_bytes,
                                             std::size_t* host_bytes) {
  const bool is_valid = is_matrix(n, n, lda) && is_matrix(n, columns, ldb);
  return report_workspaces(handle, is_valid, device_bytes, host_bytes);
}

cusolverStatus_t cusolverDnXtrtri_bufferSize(cusolverDnHandle_t handle, cublasFillMode_t, cublasDiagType_t,
                                             std::int64_t n, cudaDataType, void*, std::int64_t lda,
                                             std::size_t* device_bytes, std::size_t* host_bytes) {
  return report_workspaces(handle, is_matrix(n, n, lda), device_bytes, host_bytes);
}
