// cuBLASLt: descriptions of matrix products, one algorithm for all of them, and products that compute
// nothing.
#include <cstring>
#include <memory>

#include "dry_gpu/cudart/call.hpp"

#pragma GCC visibility push(default)
#include <cublasLt.h>
#pragma GCC visibility pop

using namespace strata::dry_gpu;

struct cublasLtContext {
  int device = 0;
};

namespace {

// Descriptions are the caller's to keep, and nothing here reads them again: whoever asks for an attribute is
// refused.
template <typename Opaque>
cublasStatus_t create(Opaque** result) {
  if (result == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  *result = std::make_unique<Opaque>().release();
  return CUBLAS_STATUS_SUCCESS;
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

cublasStatus_t set(const void* description, const void* value) {
  return description == nullptr || value == nullptr ? CUBLAS_STATUS_INVALID_VALUE : CUBLAS_STATUS_SUCCESS;
}

}  // namespace

cublasStatus_t cublasLtCreate(cublasLtHandle_t* result) {
  const cudaError_t error = call([&](Machine& machine, ThreadState& thread) {
    machine.used(thread.device);
    *result = std::make_unique<cublasLtContext>(cublasLtContext{thread.device}).release();
    return cudaSuccess;
  });
  return error == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_NOT_INITIALIZED;
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

cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t* result, cublasComputeType_t, cudaDataType_t) {
  return create(result);
}
cublasStatus_t cublasLtMatmulDescInit_internal(cublasLtMatmulDesc_t description, std::size_t bytes,
                                               cublasComputeType_t, cudaDataType_t) {
  return initialise(description, bytes);
}
cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t description) {
  return destroy(description);
}
cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t description,
                                              cublasLtMatmulDescAttributes_t, const void* value,
                                              std::size_t) {
  return set(description, value);
}

cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t* result, cudaDataType, std::uint64_t,
                                          std::uint64_t, std::int64_t) {
  return create(result);
}
cublasStatus_t cublasLtMatrixLayoutInit_internal(cublasLtMatrixLayout_t layout, std::size_t bytes,
                                                 cudaDataType, std::uint64_t, std::uint64_t, std::int64_t) {
  return initialise(layout, bytes);
}
cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t layout) {
  return destroy(layout);
}
cublasStatus_t cublasLtMatrixLayoutSetAttribute(cublasLtMatrixLayout_t layout,
                                                cublasLtMatrixLayoutAttribute_t, const void* value,
                                                std::size_t) {
  return set(layout, value);
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

cublasStatus_t cublasLtMatmul(cublasLtHandle_t handle, cublasLtMatmulDesc_t, const void*, const void*,
                              cublasLtMatrixLayout_t, const void*, cublasLtMatrixLayout_t, const void*,
                              const void*, cublasLtMatrixLayout_t, void*, cublasLtMatrixLayout_t,
                              const cublasLtMatmulAlgo_t*, void*, std::size_t, cudaStream_t stream_handle) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  const cudaError_t error = call_on(stream_handle, [](Machine& machine, ThreadState&, CUstream_st& stream) {
    return machine.streams().submit(&stream, cudaGraphNodeTypeKernel,
                                    [&counts = machine.counts()] { counts.library_calls.add(); });
  });
  return error == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_EXECUTION_FAILED;
}
