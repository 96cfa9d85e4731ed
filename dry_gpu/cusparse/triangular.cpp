// SPDX-License-Identifier: Apache-2.0
// Solutions with a sparse triangular matrix: their descriptors and buffers, and whether a pivot was zero.
#include "dry_gpu/cusparse/call.hpp"
#include "dry_gpu/cusparse/descriptors.hpp"

using namespace strata::dry_gpu;

// The data of an analysis is on the device.
struct cusparseSpSVDescr {};
struct cusparseSpSMDescr {};
struct bsrsv2Info {};
struct bsrsm2Info {};

namespace {

// No pivot is known to be zero: -1, where the handle's pointers are on the host.
cusparseStatus_t set_no_pivot(cusparseHandle_t handle, const void* info, int* position) {
  return call_cusparse(handle, [&](const cusparseContext& context) {
    if (info == nullptr || position == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
    if (context.pointer_mode == CUSPARSE_POINTER_MODE_DEVICE) return CUSPARSE_STATUS_SUCCESS;
    return set_unknown(position, -1);
  });
}

}  // namespace

#define STRATA_SOLUTION(NAME)                                                        \
  cusparseStatus_t cusparse##NAME##_createDescr(cusparse##NAME##Descr_t* result) {   \
    return give(result, true, cusparse##NAME##Descr{});                              \
  }                                                                                  \
  cusparseStatus_t cusparse##NAME##_destroyDescr(cusparse##NAME##Descr_t solution) { \
    return destroy(solution);                                                        \
  }

STRATA_SOLUTION(SpSV)
STRATA_SOLUTION(SpSM)

cusparseStatus_t cusparseSpSV_bufferSize(cusparseHandle_t handle, cusparseOperation_t, const void*,
                                         cusparseConstSpMatDescr_t a, cusparseConstDnVecDescr_t x,
                                         cusparseDnVecDescr_t y, cudaDataType, cusparseSpSVAlg_t,
                                         cusparseSpSVDescr_t solution, std::size_t* bytes) {
  const bool is_valid = a != nullptr && x != nullptr && y != nullptr && solution != nullptr;
  return report_buffer(handle, is_valid, bytes);
}

cusparseStatus_t cusparseSpSM_bufferSize(cusparseHandle_t handle, cusparseOperation_t, cusparseOperation_t,
                                         const void*, cusparseConstSpMatDescr_t a,
                                         cusparseConstDnMatDescr_t b, cusparseDnMatDescr_t c, cudaDataType,
                                         cusparseSpSMAlg_t, cusparseSpSMDescr_t solution,
                                         std::size_t* bytes) {
  const bool is_valid = a != nullptr && b != nullptr && c != nullptr && solution != nullptr;
  return report_buffer(handle, is_valid, bytes);
}

// For block matrices, with the older functions.
// NOLINTBEGIN(bugprone-macro-parentheses): INFO is a type
#define STRATA_BLOCK_SOLUTION(NAME, INFO)                         \
  cusparseStatus_t cusparseCreate##NAME##Info(INFO##_t* result) { \
    return give(result, true, INFO{});                            \
  }                                                               \
  cusparseStatus_t cusparseDestroy##NAME##Info(INFO##_t info) {   \
    return destroy(info);                                         \
  }
STRATA_BLOCK_SOLUTION(Bsrsv2, bsrsv2Info)
STRATA_BLOCK_SOLUTION(Bsrsm2, bsrsm2Info)
// NOLINTEND(bugprone-macro-parentheses)

cusparseStatus_t cusparseXbsrsv2_zeroPivot(cusparseHandle_t handle, bsrsv2Info_t info, int* position) {
  return set_no_pivot(handle, info, position);
}
cusparseStatus_t cusparseXbsrsm2_zeroPivot(cusparseHandle_t handle, bsrsm2Info_t info, int* position) {
  return set_no_pivot(handle, info, position);
}

// NOLINTBEGIN(bugprone-macro-parentheses): TYPE is a type
#define STRATA_BLOCKS(LETTER, TYPE)                                                                        \
  cusparseStatus_t cusparse##LETTER##bsrsv2_bufferSize(                                                    \
      cusparseHandle_t handle, cusparseDirection_t, cusparseOperation_t, int rows, int entries,            \
      const cusparseMatDescr_t matrix, TYPE*, const int*, const int*, int block, bsrsv2Info_t info,        \
      int* bytes) {                                                                                        \
    const bool is_valid = rows >= 0 && entries >= 0 && block > 0 && matrix != nullptr && info != nullptr;  \
    return report_buffer(handle, is_valid, bytes);                                                         \
  }                                                                                                        \
  cusparseStatus_t cusparse##LETTER##bsrsm2_bufferSize(                                                    \
      cusparseHandle_t handle, cusparseDirection_t, cusparseOperation_t, cusparseOperation_t, int rows,    \
      int columns, int entries, const cusparseMatDescr_t matrix, TYPE*, const int*, const int*, int block, \
      bsrsm2Info_t info, int* bytes) {                                                                     \
    const bool is_valid =                                                                                  \
        rows >= 0 && columns >= 0 && entries >= 0 && block > 0 && matrix != nullptr && info != nullptr;    \
    return report_buffer(handle, is_valid, bytes);                                                         \
  }
// NOLINTEND(bugprone-macro-parentheses)

STRATA_BLOCKS(S, float)
STRATA_BLOCKS(D, double)
STRATA_BLOCKS(C, cuComplex)
STRATA_BLOCKS(Z, cuDoubleComplex)
