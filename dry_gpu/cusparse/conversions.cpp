// SPDX-License-Identifier: Apache-2.0
// Sorting and transposing a sparse matrix, and sums of two: their buffers, and how many entries a sum has.
#include <algorithm>

#include "dry_gpu/cusparse/call.hpp"

using namespace strata::dry_gpu;

namespace {

bool is_sparse(int rows, int columns, int entries) {
  return rows >= 0 && columns >= 0 && entries >= 0;
}

}  // namespace

#define STRATA_SORT(NAME)                                                                              \
  cusparseStatus_t cusparseX##NAME##sort_bufferSizeExt(cusparseHandle_t handle, int rows, int columns, \
                                                       int entries, const int*, const int*,            \
                                                       std::size_t* bytes) {                           \
    return report_buffer(handle, is_sparse(rows, columns, entries), bytes);                            \
  }
STRATA_SORT(coo)
STRATA_SORT(csr)
STRATA_SORT(csc)

cusparseStatus_t cusparseCsr2cscEx2_bufferSize(cusparseHandle_t handle, int rows, int columns, int entries,
                                               const void*, const int*, const int*, void*, int*, int*,
                                               cudaDataType, cusparseAction_t, cusparseIndexBase_t,
                                               cusparseCsr2CscAlg_t, std::size_t* bytes) {
  return report_buffer(handle, is_sparse(rows, columns, entries), bytes);
}

// NOLINTBEGIN(bugprone-macro-parentheses): TYPE is a type
#define STRATA_SUM(LETTER, TYPE)                                                                            \
  cusparseStatus_t cusparse##LETTER##csrgeam2_bufferSizeExt(                                                \
      cusparseHandle_t handle, int rows, int columns, const TYPE*, const cusparseMatDescr_t, int a_entries, \
      const TYPE*, const int*, const int*, const TYPE*, const cusparseMatDescr_t, int b_entries,            \
      const TYPE*, const int*, const int*, const cusparseMatDescr_t, const TYPE*, const int*, const int*,   \
      std::size_t* bytes) {                                                                                 \
    return report_buffer(handle, is_sparse(rows, columns, std::min(a_entries, b_entries)), bytes);          \
  }
// NOLINTEND(bugprone-macro-parentheses)

STRATA_SUM(S, float)
STRATA_SUM(D, double)
STRATA_SUM(C, cuComplex)
STRATA_SUM(Z, cuDoubleComplex)

// The positions of the entries of the two matrices are on the device. Their sum has at least as many entries
// as either.
cusparseStatus_t cusparseXcsrgeam2Nnz(cusparseHandle_t handle, int rows, int columns,
                                      const cusparseMatDescr_t, int a_entries, const int*, const int*,
                                      const cusparseMatDescr_t, int b_entries, const int*, const int*,
                                      const cusparseMatDescr_t, int*, int* entries, void*) {
  return call_cusparse(handle, [&](const cusparseContext& context) {
    if (!is_sparse(rows, columns, std::min(a_entries, b_entries)) || entries == nullptr)
      return CUSPARSE_STATUS_INVALID_VALUE;
    // C's rows are written here, and its entries later.
    if (submit_library_call({context.device, context.stream}) != cudaSuccess)
      return CUSPARSE_STATUS_EXECUTION_FAILED;
    if (context.pointer_mode == CUSPARSE_POINTER_MODE_DEVICE) return CUSPARSE_STATUS_SUCCESS;
    return set_unknown(entries, std::max(a_entries, b_entries));
  });
}
