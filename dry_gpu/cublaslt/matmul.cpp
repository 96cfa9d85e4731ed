// SPDX-License-Identifier: Apache-2.0
// cuBLASLt: descriptions of matrix products, one algorithm for all of them, and products that compute
// nothing.
#include <cstring>
#include <memory>

#include "dry_gpu/cublas/product.hpp"
#include "dry_gpu/library_object.hpp"

#pragma GCC visibility push(default)
#include <cublasLt.h>
#pragma GCC visibility pop

using namespace strata::dry_gpu;

struct cublasLtContext {
  int device = 0;
};

namespace {

// Descriptors are allocated by the caller. They contain the values that determine a product's duration;
// reading attributes fails.
struct Description {
  cublasComputeType_t compute;
  cublasOperation_t transpose_a, transpose_b;
};

struct Layout {
  cudaDataType type;
  std::int32_t batch;
  std::uint64_t rows, columns;
};

template <typename Content, typename Opaque>
Content content_of(const Opaque* opaque) {
  static_assert(sizeof(Content) <= sizeof(Opaque));
  Content content{};
  std::memcpy(&content, static_cast<const void*>(opaque), sizeof content);
  return content;
}

template <typename Content, typename Opaque>
cublasStatus_t fill(Opaque* opaque, const Content& content) {
  static_assert(sizeof(Content) <= sizeof(Opaque));
  std::memcpy(static_cast<void*>(opaque), &content, sizeof content);
  return CUBLAS_STATUS_SUCCESS;
}

template <typename Opaque>
cublasStatus_t create(Opaque** result) {
  if (result == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  return give_new<CUBLAS_STATUS_ALLOC_FAILED, Opaque>(result);
}

template <typename Opaque, typename Content>
cublasStatus_t create(Opaque** result, const Content& content) {
  const cublasStatus_t status = create(result);
  return status == CUBLAS_STATUS_SUCCESS ? fill(*result, content) : status;
}

template <typename Opaque>
cublasStatus_t destroy(const Opaque* opaque) {
  const std::unique_ptr<const Opaque> owned(opaque);
  return CUBLAS_STATUS_SUCCESS;
}

template <typename Opaque>
cublasStatus_t initialise(Opaque* opaque, std::size_t bytes) {
  if (opaque == nullptr || bytes < sizeof *opaque) return CUBLAS_STATUS_INVALID_VALUE;
  std::memset(static_cast<void*>(opaque), 0, sizeof *opaque);
  return CUBLAS_STATUS_SUCCESS;
}

template <typename Opaque, typename Content>
cublasStatus_t initialise(Opaque* opaque, std::size_t bytes, const Content& content) {
  const cublasStatus_t status = initialise(opaque, bytes);
  return status == CUBLAS_STATUS_SUCCESS ? fill(opaque, content) : status;
}

// False: `value` has another size.
template <typename Value>
bool take(Value& target, const void* value, std::size_t bytes) {
  if (bytes != sizeof target) return false;
  std::memcpy(&target, value, sizeof target);
  return true;
}

cublasStatus_t set(const void* description, const void* value) {
  return description == nullptr || value == nullptr ? CUBLAS_STATUS_INVALID_VALUE : CUBLAS_STATUS_SUCCESS;
}

}  // namespace

cublasStatus_t cublasLtCreate(cublasLtHandle_t* result) {
  return make_handle<CUBLAS_STATUS_ALLOC_FAILED, CUBLAS_STATUS_NOT_INITIALIZED>(
      ContextPart::kCublas,
      [&](int device) { *result = std::make_unique<cublasLtContext>(cublasLtContext{device}).release(); });
}

cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle) {
  const std::unique_ptr<cublasLtContext> owned(handle);
  return CUBLAS_STATUS_SUCCESS;
}

std::size_t cublasLtGetVersion() {
  return CUBLAS_VERSION;
}
std::size_t cublasLtGetCudartVersion() {
  return CUDART_VERSION;
}

cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t* result, cublasComputeType_t compute,
                                        cudaDataType_t) {
  return create(result, Description{compute, CUBLAS_OP_N, CUBLAS_OP_N});
}
cublasStatus_t cublasLtMatmulDescInit_internal(cublasLtMatmulDesc_t description, std::size_t bytes,
                                               cublasComputeType_t compute, cudaDataType_t) {
  return initialise(description, bytes, Description{compute, CUBLAS_OP_N, CUBLAS_OP_N});
}
cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t description) {
  return destroy(description);
}
cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t description,
                                              cublasLtMatmulDescAttributes_t attribute, const void* value,
                                              std::size_t bytes) {
  if (const cublasStatus_t status = set(description, value)) return status;
  auto content = content_of<Description>(description);
  if (attribute == CUBLASLT_MATMUL_DESC_TRANSA && !take(content.transpose_a, value, bytes))
    return CUBLAS_STATUS_INVALID_VALUE;
  if (attribute == CUBLASLT_MATMUL_DESC_TRANSB && !take(content.transpose_b, value, bytes))
    return CUBLAS_STATUS_INVALID_VALUE;
  return fill(description, content);
}

cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t* result, cudaDataType type,
                                          std::uint64_t rows, std::uint64_t columns, std::int64_t) {
  return create(result, Layout{type, 1, rows, columns});
}
cublasStatus_t cublasLtMatrixLayoutInit_internal(cublasLtMatrixLayout_t layout, std::size_t bytes,
                                                 cudaDataType type, std::uint64_t rows, std::uint64_t columns,
                                                 std::int64_t) {
  return initialise(layout, bytes, Layout{type, 1, rows, columns});
}
cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t layout) {
  return destroy(layout);
}
cublasStatus_t cublasLtMatrixLayoutSetAttribute(cublasLtMatrixLayout_t layout,
                                                cublasLtMatrixLayoutAttribute_t attribute, const void* value,
                                                std::size_t bytes) {
  if (const cublasStatus_t status = set(layout, value)) return status;
  auto content = content_of<Layout>(layout);
  if (attribute == CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT && !take(content.batch, value, bytes))
    return CUBLAS_STATUS_INVALID_VALUE;
  return fill(layout, content);
}

cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t* result) {
  return create(result);
}
cublasStatus_t cublasLtMatmulPreferenceInit_internal(cublasLtMatmulPreference_t preference,
                                                     std::size_t bytes) {
  return initialise(preference, bytes);
}
cublasStatus_t cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t preference) {
  return destroy(preference);
}
cublasStatus_t cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t preference,
                                                    cublasLtMatmulPreferenceAttributes_t, const void* value,
                                                    std::size_t) {
  return set(preference, value);
}

// One algorithm, which asks for no workspace: the buffer that the caller keeps for it is as large whatever it
// asks for.
cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t handle, cublasLtMatmulDesc_t,
                                              cublasLtMatrixLayout_t, cublasLtMatrixLayout_t,
                                              cublasLtMatrixLayout_t, cublasLtMatrixLayout_t,
                                              cublasLtMatmulPreference_t, int requested,
                                              cublasLtMatmulHeuristicResult_t results[], int* returned) {
  if (handle == nullptr || results == nullptr || returned == nullptr || requested < 1)
    return CUBLAS_STATUS_INVALID_VALUE;
  results[0] = {};
  results[0].state = CUBLAS_STATUS_SUCCESS;
  results[0].wavesCount = 1.0F;
  *returned = 1;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmul(cublasLtHandle_t handle, cublasLtMatmulDesc_t description, const void*,
                              const void*, cublasLtMatrixLayout_t a, const void*, cublasLtMatrixLayout_t b,
                              const void*, const void*, cublasLtMatrixLayout_t c, void*,
                              cublasLtMatrixLayout_t d, const cublasLtMatmulAlgo_t*, void*, std::size_t,
                              cudaStream_t stream) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (description == nullptr || a == nullptr || b == nullptr || c == nullptr || d == nullptr)
    return CUBLAS_STATUS_INVALID_VALUE;
  const auto product = content_of<Description>(description);
  const auto of_a = content_of<Layout>(a);
  const auto of_d = content_of<Layout>(d);
  const std::uint64_t k = product.transpose_a == CUBLAS_OP_N ? of_a.columns : of_a.rows;
  return submit_product(
      stream,
      {"cublasLtMatmul", product.transpose_a, product.transpose_b, static_cast<std::int64_t>(of_d.rows),
       static_cast<std::int64_t>(of_d.columns), static_cast<std::int64_t>(k), of_d.batch, of_a.type,
       content_of<Layout>(b).type, of_d.type, product.compute});
}
