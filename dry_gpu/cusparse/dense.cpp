// SPDX-License-Identifier: Apache-2.0
// Dense vectors and matrices, and sparse vectors: descriptors.
#include <algorithm>

#include "dry_gpu/cusparse/descriptors.hpp"

using namespace strata::dry_gpu;

namespace {

bool can_be(const cusparseDnMatDescr& matrix) {
  const bool is_ordered = matrix.order == CUSPARSE_ORDER_COL || matrix.order == CUSPARSE_ORDER_ROW;
  const std::int64_t least = matrix.order == CUSPARSE_ORDER_COL ? matrix.rows : matrix.columns;
  return matrix.rows >= 0 && matrix.columns >= 0 && is_ordered && matrix.leading_dimension >= least;
}

bool can_be(const cusparseSpVecDescr& vector) {
  return vector.size >= 0 && vector.entries >= 0 && vector.entries <= vector.size &&
         is_index_base(vector.index_base);
}

}  // namespace

// A descriptor of what may be changed, and one of what may not, differ in nothing but their pointers' types.
// NOLINTBEGIN(bugprone-macro-parentheses): POINTER is a type
#define STRATA_DENSE(CONST, POINTER)                                                                        \
  cusparseStatus_t cusparseCreate##CONST##DnVec(cusparse##CONST##DnVecDescr_t* result, std::int64_t size,   \
                                                POINTER values, cudaDataType type) {                        \
    return give(result, size >= 0, cusparseDnVecDescr{size, values, type});                                 \
  }                                                                                                         \
  cusparseStatus_t cusparse##CONST##DnVecGet(cusparse##CONST##DnVecDescr_t vector, std::int64_t* size,      \
                                             POINTER* values, cudaDataType* type) {                         \
    return status(vector != nullptr && tell(size, vector->size) && tell(values, vector->values) &&          \
                  tell(type, vector->value_type));                                                          \
  }                                                                                                         \
  cusparseStatus_t cusparse##CONST##DnVecGetValues(cusparse##CONST##DnVecDescr_t vector, POINTER* values) { \
    return status(vector != nullptr && tell(values, vector->values));                                       \
  }                                                                                                         \
  cusparseStatus_t cusparseCreate##CONST##DnMat(cusparse##CONST##DnMatDescr_t* result, std::int64_t rows,   \
                                                std::int64_t columns, std::int64_t leading_dimension,       \
                                                POINTER values, cudaDataType type, cusparseOrder_t order) { \
    const cusparseDnMatDescr matrix{rows, columns, leading_dimension, values, type, order};                 \
    return give(result, can_be(matrix), matrix);                                                            \
  }                                                                                                         \
  cusparseStatus_t cusparse##CONST##DnMatGet(cusparse##CONST##DnMatDescr_t matrix, std::int64_t* rows,      \
                                             std::int64_t* columns, std::int64_t* leading_dimension,        \
                                             POINTER* values, cudaDataType* type, cusparseOrder_t* order) { \
    return status(matrix != nullptr && tell(rows, matrix->rows) && tell(columns, matrix->columns) &&        \
                  tell(leading_dimension, matrix->leading_dimension) && tell(values, matrix->values) &&     \
                  tell(type, matrix->value_type) && tell(order, matrix->order));                            \
  }                                                                                                         \
  cusparseStatus_t cusparse##CONST##DnMatGetValues(cusparse##CONST##DnMatDescr_t matrix, POINTER* values) { \
    return status(matrix != nullptr && tell(values, matrix->values));                                       \
  }                                                                                                         \
  cusparseStatus_t cusparseCreate##CONST##SpVec(                                                            \
      cusparse##CONST##SpVecDescr_t* result, std::int64_t size, std::int64_t entries, POINTER indices,      \
      POINTER values, cusparseIndexType_t index_type, cusparseIndexBase_t base, cudaDataType type) {        \
    const cusparseSpVecDescr vector{size, entries, indices, values, index_type, base, type};                \
    return give(result, can_be(vector), vector);                                                            \
  }                                                                                                         \
  cusparseStatus_t cusparse##CONST##SpVecGet(                                                               \
      cusparse##CONST##SpVecDescr_t vector, std::int64_t* size, std::int64_t* entries, POINTER* indices,    \
      POINTER* values, cusparseIndexType_t* index_type, cusparseIndexBase_t* base, cudaDataType* type) {    \
    return status(vector != nullptr && tell(size, vector->size) && tell(entries, vector->entries) &&        \
                  tell(indices, vector->indices) && tell(values, vector->values) &&                         \
                  tell(index_type, vector->index_type) && tell(base, vector->index_base) &&                 \
                  tell(type, vector->value_type));                                                          \
  }                                                                                                         \
  cusparseStatus_t cusparse##CONST##SpVecGetValues(cusparse##CONST##SpVecDescr_t vector, POINTER* values) { \
    return status(vector != nullptr && tell(values, vector->values));                                       \
  }
// NOLINTEND(bugprone-macro-parentheses)

STRATA_DENSE(, void*)
STRATA_DENSE(Const, const void*)

cusparseStatus_t cusparseDestroyDnVec(cusparseConstDnVecDescr_t vector) {
  return destroy(vector);
}
cusparseStatus_t cusparseDestroyDnMat(cusparseConstDnMatDescr_t matrix) {
  return destroy(matrix);
}
cusparseStatus_t cusparseDestroySpVec(cusparseConstSpVecDescr_t vector) {
  return destroy(vector);
}

cusparseStatus_t cusparseDnVecSetValues(cusparseDnVecDescr_t vector, void* values) {
  return status(vector != nullptr && tell(&vector->values, values));
}
cusparseStatus_t cusparseDnMatSetValues(cusparseDnMatDescr_t matrix, void* values) {
  return status(matrix != nullptr && tell(&matrix->values, values));
}
cusparseStatus_t cusparseSpVecSetValues(cusparseSpVecDescr_t vector, void* values) {
  return status(vector != nullptr && tell(&vector->values, values));
}

cusparseStatus_t cusparseSpVecGetIndexBase(cusparseConstSpVecDescr_t vector, cusparseIndexBase_t* base) {
  return status(vector != nullptr && tell(base, vector->index_base));
}

cusparseStatus_t cusparseDnMatSetStridedBatch(cusparseDnMatDescr_t matrix, int batches, std::int64_t stride) {
  if (matrix == nullptr || batches <= 0 || stride < 0) return CUSPARSE_STATUS_INVALID_VALUE;
  matrix->batches = batches;
  matrix->batch_stride = stride;
  return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseDnMatGetStridedBatch(cusparseConstDnMatDescr_t matrix, int* batches,
                                              std::int64_t* stride) {
  return status(matrix != nullptr && tell(batches, matrix->batches) && tell(stride, matrix->batch_stride));
}
