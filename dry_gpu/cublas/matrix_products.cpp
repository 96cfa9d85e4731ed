// SPDX-License-Identifier: Apache-2.0
// cuBLAS's matrix products: they compute nothing, and take their place in their stream.
#include "dry_gpu/cublas/product.hpp"

using namespace strata::dry_gpu;

namespace {

// FP32 goes through TF32 where the handle's math mode lets it.
cublasComputeType_t compute_of(const cublasContext& context, cublasComputeType_t compute) {
  const bool may_be_tf32 = compute == CUBLAS_COMPUTE_32F && context.math_mode == CUBLAS_TF32_TENSOR_OP_MATH;
  return may_be_tf32 ? CUBLAS_COMPUTE_32F_FAST_TF32 : compute;
}

struct Strides {
  std::int64_t a, b, c;  // between columns
};

cublasStatus_t multiply(cublasHandle_t handle, ProductCall call, const Strides& strides) {
  return call_cublas(handle, [&](cublasContext& context) {
    if (!is_valid(call, strides.a, strides.b, strides.c)) return CUBLAS_STATUS_INVALID_VALUE;
    if (call.m == 0 || call.n == 0 || call.batch == 0) return CUBLAS_STATUS_SUCCESS;
    if (call.a == CUDA_R_32F) call.compute = compute_of(context, call.compute);
    return submit_product(context.stream, call);
  });
}

}  // namespace

// Each function for dimensions of 32 and of 64 bits.
// NOLINTBEGIN(bugprone-macro-parentheses): types and names
#define STRATA_PRODUCT_OF(NAME, INT, TYPE, DATA, COMPUTE)                                                  \
  cublasStatus_t NAME(cublasHandle_t handle, cublasOperation_t a_op, cublasOperation_t b_op, INT m, INT n, \
                      INT k, const TYPE*, const TYPE*, INT lda, const TYPE*, INT ldb, const TYPE*, TYPE*,  \
                      INT ldc) {                                                                           \
    return multiply(handle, {#NAME, a_op, b_op, m, n, k, 1, DATA, DATA, DATA, COMPUTE}, {lda, ldb, ldc});  \
  }
#define STRATA_BATCHED_OF(NAME, INT, TYPE, DATA, COMPUTE)                                                  \
  cublasStatus_t NAME(cublasHandle_t handle, cublasOperation_t a_op, cublasOperation_t b_op, INT m, INT n, \
                      INT k, const TYPE*, const TYPE* const[], INT lda, const TYPE* const[], INT ldb,      \
                      const TYPE*, TYPE* const[], INT ldc, INT batch) {                                    \
    return multiply(handle, {#NAME, a_op, b_op, m, n, k, batch, DATA, DATA, DATA, COMPUTE},                \
                    {lda, ldb, ldc});                                                                      \
  }
#define STRATA_STRIDED_OF(NAME, INT, TYPE, DATA, COMPUTE)                                                   \
  cublasStatus_t NAME(cublasHandle_t handle, cublasOperation_t a_op, cublasOperation_t b_op, INT m, INT n,  \
                      INT k, const TYPE*, const TYPE*, INT lda, long long, const TYPE*, INT ldb, long long, \
                      const TYPE*, TYPE*, INT ldc, long long, INT batch) {                                  \
    return multiply(handle, {#NAME, a_op, b_op, m, n, k, batch, DATA, DATA, DATA, COMPUTE},                 \
                    {lda, ldb, ldc});                                                                       \
  }
#define STRATA_TYPED(PLAIN, LETTER, TYPE, DATA, COMPUTE)                               \
  STRATA_PRODUCT_OF(PLAIN, int, TYPE, DATA, COMPUTE)                                   \
  STRATA_PRODUCT_OF(PLAIN##_64, std::int64_t, TYPE, DATA, COMPUTE)                     \
  STRATA_BATCHED_OF(cublas##LETTER##gemmBatched, int, TYPE, DATA, COMPUTE)             \
  STRATA_BATCHED_OF(cublas##LETTER##gemmBatched_64, std::int64_t, TYPE, DATA, COMPUTE) \
  STRATA_STRIDED_OF(cublas##LETTER##gemmStridedBatched, int, TYPE, DATA, COMPUTE)      \
  STRATA_STRIDED_OF(cublas##LETTER##gemmStridedBatched_64, std::int64_t, TYPE, DATA, COMPUTE)

STRATA_TYPED(cublasSgemm_v2, S, float, CUDA_R_32F, CUBLAS_COMPUTE_32F)
STRATA_TYPED(cublasDgemm_v2, D, double, CUDA_R_64F, CUBLAS_COMPUTE_64F)
STRATA_TYPED(cublasCgemm_v2, C, cuComplex, CUDA_C_32F, CUBLAS_COMPUTE_32F)
STRATA_TYPED(cublasZgemm_v2, Z, cuDoubleComplex, CUDA_C_64F, CUBLAS_COMPUTE_64F)

#define STRATA_NAMED_TYPES_OF(NAME, INT, TYPE)                                                               \
  cublasStatus_t NAME(cublasHandle_t handle, cublasOperation_t a_op, cublasOperation_t b_op, INT m, INT n,   \
                      INT k, const TYPE*, const void*, cudaDataType a, INT lda, const void*, cudaDataType b, \
                      INT ldb, const TYPE*, void*, cudaDataType c, INT ldc) {                                \
    return multiply(handle, {#NAME, a_op, b_op, m, n, k, 1, a, b, c, CUBLAS_COMPUTE_32F}, {lda, ldb, ldc});  \
  }
STRATA_NAMED_TYPES_OF(cublasSgemmEx, int, float)
STRATA_NAMED_TYPES_OF(cublasSgemmEx_64, std::int64_t, float)
STRATA_NAMED_TYPES_OF(cublasCgemmEx, int, cuComplex)
STRATA_NAMED_TYPES_OF(cublasCgemmEx_64, std::int64_t, cuComplex)

#define STRATA_EX_OF(SUFFIX, INT)                                                                           \
  cublasStatus_t cublasGemmEx##SUFFIX(                                                                      \
      cublasHandle_t handle, cublasOperation_t a_op, cublasOperation_t b_op, INT m, INT n, INT k,           \
      const void*, const void*, cudaDataType a, INT lda, const void*, cudaDataType b, INT ldb, const void*, \
      void*, cudaDataType c, INT ldc, cublasComputeType_t compute, cublasGemmAlgo_t) {                      \
    return multiply(handle, {"cublasGemmEx", a_op, b_op, m, n, k, 1, a, b, c, compute}, {lda, ldb, ldc});   \
  }                                                                                                         \
  cublasStatus_t cublasGemmBatchedEx##SUFFIX(                                                               \
      cublasHandle_t handle, cublasOperation_t a_op, cublasOperation_t b_op, INT m, INT n, INT k,           \
      const void*, const void* const[], cudaDataType a, INT lda, const void* const[], cudaDataType b,       \
      INT ldb, const void*, void* const[], cudaDataType c, INT ldc, INT batch, cublasComputeType_t compute, \
      cublasGemmAlgo_t) {                                                                                   \
    return multiply(handle, {"cublasGemmBatchedEx", a_op, b_op, m, n, k, batch, a, b, c, compute},          \
                    {lda, ldb, ldc});                                                                       \
  }                                                                                                         \
  cublasStatus_t cublasGemmStridedBatchedEx##SUFFIX(                                                        \
      cublasHandle_t handle, cublasOperation_t a_op, cublasOperation_t b_op, INT m, INT n, INT k,           \
      const void*, const void*, cudaDataType a, INT lda, long long, const void*, cudaDataType b, INT ldb,   \
      long long, const void*, void*, cudaDataType c, INT ldc, long long, INT batch,                         \
      cublasComputeType_t compute, cublasGemmAlgo_t) {                                                      \
    return multiply(handle, {"cublasGemmStridedBatchedEx", a_op, b_op, m, n, k, batch, a, b, c, compute},   \
                    {lda, ldb, ldc});                                                                       \
  }
// NOLINTEND(bugprone-macro-parentheses)

STRATA_EX_OF(, int)
STRATA_EX_OF(_64, std::int64_t)
