// SPDX-License-Identifier: Apache-2.0
// Vectors and matrices between host and device: strided copies.
#include "dry_gpu/device/copies.hpp"

#include "dry_gpu/cublas/call.hpp"

using namespace strata::dry_gpu;

namespace {

struct Matrix {
  std::int64_t rows, columns, element_bytes;
  std::int64_t target_stride, source_stride;  // elements from column to column
};

cublasStatus_t copy_matrix(const Matrix& matrix, const void* source, void* target, cudaMemcpyKind kind,
                           cudaStream_t handle) {
  if (matrix.rows < 0 || matrix.columns < 0 || matrix.element_bytes <= 0 || matrix.target_stride <= 0 ||
      matrix.source_stride <= 0)
    return CUBLAS_STATUS_INVALID_VALUE;
  const auto bytes = [&](std::int64_t elements) {
    return static_cast<std::size_t>(elements * matrix.element_bytes);
  };
  const Rows rows{bytes(matrix.rows), static_cast<std::size_t>(matrix.columns), bytes(matrix.target_stride),
                  bytes(matrix.source_stride)};
  const cudaError_t error = call_on(handle, [&](Machine& machine, ThreadState&, CUstream_st& stream) {
    return copy_rows(machine, stream, target, source, rows, kind);
  });
  return error == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_MAPPING_ERROR;
}

}  // namespace

cublasStatus_t cublasSetMatrixAsync(int rows, int columns, int element_bytes, const void* source,
                                    int source_stride, void* target, int target_stride, cudaStream_t stream) {
  return copy_matrix({rows, columns, element_bytes, target_stride, source_stride}, source, target,
                     cudaMemcpyHostToDevice, stream);
}

cublasStatus_t cublasGetMatrixAsync(int rows, int columns, int element_bytes, const void* source,
                                    int source_stride, void* target, int target_stride, cudaStream_t stream) {
  return copy_matrix({rows, columns, element_bytes, target_stride, source_stride}, source, target,
                     cudaMemcpyDeviceToHost, stream);
}

// A vector is a matrix of one row.
cublasStatus_t cublasSetVectorAsync(int count, int element_bytes, const void* source, int source_stride,
                                    void* target, int target_stride, cudaStream_t stream) {
  return cublasSetMatrixAsync(1, count, element_bytes, source, source_stride, target, target_stride, stream);
}

cublasStatus_t cublasGetVectorAsync(int count, int element_bytes, const void* source, int source_stride,
                                    void* target, int target_stride, cudaStream_t stream) {
  return cublasGetMatrixAsync(1, count, element_bytes, source, source_stride, target, target_stride, stream);
}
