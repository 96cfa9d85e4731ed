// SPDX-License-Identifier: Apache-2.0
// Workspaces of QR factorisations and of the products with their Q.
#include "dry_gpu/cusolver/call.hpp"

using namespace strata::dry_gpu;

namespace {

// m by n, of k reflections.
bool is_orthogonal(int m, int n, int k, int lda) {
  return is_matrix(m, n, lda) && n <= m && k >= 0 && k <= n;
}

// Q of m or of n rows times a matrix of m by n, or the other way round.
bool is_product(cublasSideMode_t side, int m, int n, int k, int lda, int ldc) {
  const int rows = side == CUBLAS_SIDE_LEFT ? m : n;
  return is_matrix(m, n, ldc) && is_matrix(rows, k, lda) && k <= rows;
}

}  // namespace

// NOLINTBEGIN(bugprone-macro-parentheses): TYPE is a type
#define STRATA_ORTHOGONAL(LETTER, Q, TYPE)                                                                   \
  cusolverStatus_t cusolverDn##LETTER##geqrf_bufferSize(cusolverDnHandle_t handle, int m, int n, TYPE*,      \
                                                        int lda, int* elements) {                            \
    return report_workspace<TYPE>(handle, is_matrix(m, n, lda), elements, fitted::qr(m, n));                 \
  }                                                                                                          \
  cusolverStatus_t cusolverDn##LETTER##Q##gqr_bufferSize(cusolverDnHandle_t handle, int m, int n, int k,     \
                                                         const TYPE*, int lda, const TYPE*, int* elements) { \
    return report_workspace<TYPE>(handle, is_orthogonal(m, n, k, lda), elements, fitted::orthogonal(m, n));  \
  }                                                                                                          \
  cusolverStatus_t cusolverDn##LETTER##Q##mqr_bufferSize(                                                    \
      cusolverDnHandle_t handle, cublasSideMode_t side, cublasOperation_t, int m, int n, int k, const TYPE*, \
      int lda, const TYPE*, const TYPE*, int ldc, int* elements) {                                           \
    return report_workspace<TYPE>(handle, is_product(side, m, n, k, lda, ldc), elements);                    \
  }
// NOLINTEND(bugprone-macro-parentheses)

STRATA_ORTHOGONAL(S, or, float)
STRATA_ORTHOGONAL(D, or, double)
STRATA_ORTHOGONAL(C, un, cuComplex)
STRATA_ORTHOGONAL(Z, un, cuDoubleComplex)

cusolverStatus_t cusolverDnXgeqrf_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t, std::int64_t m,
                                             std::int64_t n, cudaDataType, const void*, std::int64_t lda,
                                             cudaDataType, const void*, cudaDataType compute_type,
                                             std::size_t* device_bytes, std::size_t* host_bytes) {
  return report_workspaces(handle, is_matrix(m, n, lda), device_bytes, host_bytes, fitted::qr(m, n),
                           compute_type);
}
