// SPDX-License-Identifier: Apache-2.0
// The product of two sparse matrices, in stages. The number of its entries is computed on the device: it is
// unknown here and assumed to be zero.
#include "dry_gpu/cusparse/call.hpp"
#include "dry_gpu/cusparse/descriptors.hpp"

using namespace strata::dry_gpu;

struct cusparseSpGEMMDescr {
  bool is_estimated = false, is_sized = false;  // which buffer sizes were requested
};

namespace {

// A stage is called for the size of its buffer, then with the buffer, which may be null since it is empty.
cusparseStatus_t size_or_work(cusparseHandle_t handle, bool is_valid, bool* was_asked, std::size_t* bytes) {
  if (is_valid && !*was_asked) {
    *was_asked = true;
    return report_buffer(handle, is_valid, bytes);
  }
  return call_cusparse(handle, [&](cusparseContext& context) {
    if (!is_valid || bytes == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
    *was_asked = false;  // the descriptor may serve another product
    *bytes = 0;
    return submit_library_call({context.device, context.stream}) == cudaSuccess
               ? CUSPARSE_STATUS_SUCCESS
               : CUSPARSE_STATUS_EXECUTION_FAILED;
  });
}

}  // namespace

cusparseStatus_t cusparseSpGEMM_createDescr(cusparseSpGEMMDescr_t* result) {
  return give(result, true, cusparseSpGEMMDescr{});
}
cusparseStatus_t cusparseSpGEMM_destroyDescr(cusparseSpGEMMDescr_t product) {
  return destroy(product);
}

cusparseStatus_t cusparseSpGEMM_workEstimation(cusparseHandle_t handle, cusparseOperation_t,
                                               cusparseOperation_t, const void*, cusparseConstSpMatDescr_t a,
                                               cusparseConstSpMatDescr_t b, const void*,
                                               cusparseSpMatDescr_t c, cudaDataType, cusparseSpGEMMAlg_t,
                                               cusparseSpGEMMDescr_t product, std::size_t* bytes, void*) {
  const bool is_valid = a != nullptr && b != nullptr && c != nullptr && product != nullptr;
  return size_or_work(handle, is_valid, is_valid ? &product->is_estimated : nullptr, bytes);
}

cusparseStatus_t cusparseSpGEMM_compute(cusparseHandle_t handle, cusparseOperation_t, cusparseOperation_t,
                                        const void*, cusparseConstSpMatDescr_t a, cusparseConstSpMatDescr_t b,
                                        const void*, cusparseSpMatDescr_t c, cudaDataType,
                                        cusparseSpGEMMAlg_t, cusparseSpGEMMDescr_t product,
                                        std::size_t* bytes, void*) {
  const bool is_valid = a != nullptr && b != nullptr && c != nullptr && product != nullptr;
  const bool is_work = is_valid && product->is_sized;
  const cusparseStatus_t status =
      size_or_work(handle, is_valid, is_valid ? &product->is_sized : nullptr, bytes);
  if (status != CUSPARSE_STATUS_SUCCESS || !is_work) return status;
  return set_unknown<std::int64_t>(&c->entries, 0);
}
