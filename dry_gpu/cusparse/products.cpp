// SPDX-License-Identifier: Apache-2.0
// Buffers of products with a sparse matrix, and of its way to a dense one.
#include "dry_gpu/cusparse/call.hpp"
#include "dry_gpu/cusparse/descriptors.hpp"

using namespace strata::dry_gpu;

namespace {

template <typename... Descriptors>
bool all(const Descriptors*... descriptors) {
  return (... && (descriptors != nullptr));
}

}  // namespace

cusparseStatus_t cusparseSpMV_bufferSize(cusparseHandle_t handle, cusparseOperation_t, const void*,
                                         cusparseConstSpMatDescr_t a, cusparseConstDnVecDescr_t x,
                                         const void*, cusparseDnVecDescr_t y, cudaDataType, cusparseSpMVAlg_t,
                                         std::size_t* bytes) {
  return report_buffer(handle, all(a, x, y), bytes);
}

cusparseStatus_t cusparseSpMM_bufferSize(cusparseHandle_t handle, cusparseOperation_t, cusparseOperation_t,
                                         const void*, cusparseConstSpMatDescr_t a,
                                         cusparseConstDnMatDescr_t b, const void*, cusparseDnMatDescr_t c,
                                         cudaDataType, cusparseSpMMAlg_t, std::size_t* bytes) {
  return report_buffer(handle, all(a, b, c), bytes);
}

cusparseStatus_t cusparseSDDMM_bufferSize(cusparseHandle_t handle, cusparseOperation_t, cusparseOperation_t,
                                          const void*, cusparseConstDnMatDescr_t a,
                                          cusparseConstDnMatDescr_t b, const void*, cusparseSpMatDescr_t c,
                                          cudaDataType, cusparseSDDMMAlg_t, std::size_t* bytes) {
  return report_buffer(handle, all(a, b, c), bytes);
}

cusparseStatus_t cusparseSparseToDense_bufferSize(cusparseHandle_t handle, cusparseConstSpMatDescr_t a,
                                                  cusparseDnMatDescr_t b, cusparseSparseToDenseAlg_t,
                                                  std::size_t* bytes) {
  return report_buffer(handle, all(a, b), bytes);
}
