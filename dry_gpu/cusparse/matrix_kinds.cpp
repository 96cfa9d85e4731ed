// SPDX-License-Identifier: Apache-2.0
// Matrix descriptors of functions for a single format: the older kind.
#include <memory>

#pragma GCC visibility push(default)
#include <cusparse.h>
#pragma GCC visibility pop

#include "dry_gpu/library_object.hpp"

struct cusparseMatDescr {
  cusparseMatrixType_t type = CUSPARSE_MATRIX_TYPE_GENERAL;
  cusparseFillMode_t fill_mode = CUSPARSE_FILL_MODE_LOWER;
  cusparseDiagType_t diagonal = CUSPARSE_DIAG_TYPE_NON_UNIT;
  cusparseIndexBase_t index_base = CUSPARSE_INDEX_BASE_ZERO;
};

namespace {

template <typename Setting>
cusparseStatus_t set(cusparseMatDescr_t matrix, Setting cusparseMatDescr::*setting, Setting value,
                     Setting last) {
  if (matrix == nullptr || value < Setting{} || value > last) return CUSPARSE_STATUS_INVALID_VALUE;
  matrix->*setting = value;
  return CUSPARSE_STATUS_SUCCESS;
}

// There is no status for an error: an invalid descriptor is treated as a new one.
cusparseMatDescr described(cusparseMatDescr_t matrix) {
  return matrix == nullptr ? cusparseMatDescr{} : *matrix;
}

}  // namespace

cusparseStatus_t cusparseCreateMatDescr(cusparseMatDescr_t* result) {
  if (result == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  return strata::dry_gpu::give_new<CUSPARSE_STATUS_ALLOC_FAILED, cusparseMatDescr>(result);
}

cusparseStatus_t cusparseDestroyMatDescr(cusparseMatDescr_t matrix) {
  const std::unique_ptr<cusparseMatDescr> owned(matrix);
  return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseSetMatType(cusparseMatDescr_t matrix, cusparseMatrixType_t type) {
  return set(matrix, &cusparseMatDescr::type, type, CUSPARSE_MATRIX_TYPE_TRIANGULAR);
}
cusparseStatus_t cusparseSetMatFillMode(cusparseMatDescr_t matrix, cusparseFillMode_t mode) {
  return set(matrix, &cusparseMatDescr::fill_mode, mode, CUSPARSE_FILL_MODE_UPPER);
}
cusparseStatus_t cusparseSetMatDiagType(cusparseMatDescr_t matrix, cusparseDiagType_t type) {
  return set(matrix, &cusparseMatDescr::diagonal, type, CUSPARSE_DIAG_TYPE_UNIT);
}
cusparseStatus_t cusparseSetMatIndexBase(cusparseMatDescr_t matrix, cusparseIndexBase_t base) {
  return set(matrix, &cusparseMatDescr::index_base, base, CUSPARSE_INDEX_BASE_ONE);
}

cusparseMatrixType_t cusparseGetMatType(const cusparseMatDescr_t matrix) {
  return described(matrix).type;
}
cusparseFillMode_t cusparseGetMatFillMode(const cusparseMatDescr_t matrix) {
  return described(matrix).fill_mode;
}
cusparseDiagType_t cusparseGetMatDiagType(const cusparseMatDescr_t matrix) {
  return described(matrix).diagonal;
}
cusparseIndexBase_t cusparseGetMatIndexBase(const cusparseMatDescr_t matrix) {
  return described(matrix).index_base;
}
