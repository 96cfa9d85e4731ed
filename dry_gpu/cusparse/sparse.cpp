// SPDX-License-Identifier: Apache-2.0
// Sparse matrices by rows, by columns, by entries and by blocks: descriptors.
#include "dry_gpu/cusparse/descriptors.hpp"

using namespace strata::dry_gpu;

namespace {

bool can_be(const cusparseSpMatDescr& matrix) {
  return matrix.rows >= 0 && matrix.columns >= 0 && matrix.entries >= 0 && matrix.block_rows > 0 &&
         matrix.block_columns > 0 && is_index_base(matrix.index_base);
}

bool has(cusparseConstSpMatDescr_t matrix, cusparseFormat_t format) {
  return matrix != nullptr && matrix->format == format;
}

cusparseStatus_t point(cusparseSpMatDescr_t matrix, cusparseFormat_t format,
                       const std::array<const void*, 3>& arrays) {
  if (!has(matrix, format)) return CUSPARSE_STATUS_INVALID_VALUE;
  matrix->arrays = arrays;
  return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t batch(cusparseSpMatDescr_t matrix, cusparseFormat_t format, int batches,
                       const std::array<std::int64_t, 3>& strides) {
  if (!has(matrix, format) || batches <= 0) return CUSPARSE_STATUS_INVALID_VALUE;
  matrix->batches = batches;
  matrix->batch_strides = strides;
  return CUSPARSE_STATUS_SUCCESS;
}

}  // namespace

// A descriptor of what may be changed, and one of what may not, differ in nothing but their pointers' types;
// one by rows and one by columns in nothing but their names.
// NOLINTBEGIN(bugprone-macro-parentheses): POINTER is a type
#define STRATA_COMPRESSED(CONST, POINTER, NAME, FORMAT)                                                     \
  cusparseStatus_t cusparseCreate##CONST##NAME(                                                             \
      cusparse##CONST##SpMatDescr_t* result, std::int64_t rows, std::int64_t columns, std::int64_t entries, \
      POINTER offsets, POINTER indices, POINTER values, cusparseIndexType_t offset_type,                    \
      cusparseIndexType_t index_type, cusparseIndexBase_t base, cudaDataType type) {                        \
    const cusparseSpMatDescr matrix{                                                                        \
        FORMAT, rows, columns, entries, {offsets, indices, values}, {offset_type, index_type}, base, type}; \
    return give(result, can_be(matrix), matrix);                                                            \
  }                                                                                                         \
  cusparseStatus_t cusparse##CONST##NAME##Get(                                                              \
      cusparse##CONST##SpMatDescr_t matrix, std::int64_t* rows, std::int64_t* columns,                      \
      std::int64_t* entries, POINTER* offsets, POINTER* indices, POINTER* values,                           \
      cusparseIndexType_t* offset_type, cusparseIndexType_t* index_type, cusparseIndexBase_t* base,         \
      cudaDataType* type) {                                                                                 \
    return status(has(matrix, FORMAT) && tell(rows, matrix->rows) && tell(columns, matrix->columns) &&      \
                  tell(entries, matrix->entries) && tell(offsets, matrix->arrays[0]) &&                     \
                  tell(indices, matrix->arrays[1]) && tell(values, matrix->arrays[2]) &&                    \
                  tell(offset_type, matrix->index_types[0]) && tell(index_type, matrix->index_types[1]) &&  \
                  tell(base, matrix->index_base) && tell(type, matrix->value_type));                        \
  }
#define STRATA_SPARSE(CONST, POINTER)                                                                        \
  STRATA_COMPRESSED(CONST, POINTER, Csr, CUSPARSE_FORMAT_CSR)                                                \
  STRATA_COMPRESSED(CONST, POINTER, Csc, CUSPARSE_FORMAT_CSC)                                                \
  cusparseStatus_t cusparseCreate##CONST##Coo(                                                               \
      cusparse##CONST##SpMatDescr_t* result, std::int64_t rows, std::int64_t columns, std::int64_t entries,  \
      POINTER row_indices, POINTER column_indices, POINTER values, cusparseIndexType_t index_type,           \
      cusparseIndexBase_t base, cudaDataType type) {                                                         \
    const cusparseSpMatDescr matrix{                                                                         \
        CUSPARSE_FORMAT_COO,      rows, columns, entries, {row_indices, column_indices, values},             \
        {index_type, index_type}, base, type};                                                               \
    return give(result, can_be(matrix), matrix);                                                             \
  }                                                                                                          \
  cusparseStatus_t cusparse##CONST##CooGet(                                                                  \
      cusparse##CONST##SpMatDescr_t matrix, std::int64_t* rows, std::int64_t* columns,                       \
      std::int64_t* entries, POINTER* row_indices, POINTER* column_indices, POINTER* values,                 \
      cusparseIndexType_t* index_type, cusparseIndexBase_t* base, cudaDataType* type) {                      \
    return status(has(matrix, CUSPARSE_FORMAT_COO) && tell(rows, matrix->rows) &&                            \
                  tell(columns, matrix->columns) && tell(entries, matrix->entries) &&                        \
                  tell(row_indices, matrix->arrays[0]) && tell(column_indices, matrix->arrays[1]) &&         \
                  tell(values, matrix->arrays[2]) && tell(index_type, matrix->index_types[0]) &&             \
                  tell(base, matrix->index_base) && tell(type, matrix->value_type));                         \
  }                                                                                                          \
  cusparseStatus_t cusparseCreate##CONST##Bsr(                                                               \
      cusparse##CONST##SpMatDescr_t* result, std::int64_t rows, std::int64_t columns, std::int64_t blocks,   \
      std::int64_t block_rows, std::int64_t block_columns, POINTER offsets, POINTER indices, POINTER values, \
      cusparseIndexType_t offset_type, cusparseIndexType_t index_type, cusparseIndexBase_t base,             \
      cudaDataType type, cusparseOrder_t order) {                                                            \
    const cusparseSpMatDescr matrix{CUSPARSE_FORMAT_BSR,                                                     \
                                    rows,                                                                    \
                                    columns,                                                                 \
                                    blocks,                                                                  \
                                    {offsets, indices, values},                                              \
                                    {offset_type, index_type},                                               \
                                    base,                                                                    \
                                    type,                                                                    \
                                    block_rows,                                                              \
                                    block_columns,                                                           \
                                    order};                                                                  \
    return give(result, can_be(matrix), matrix);                                                             \
  }                                                                                                          \
  cusparseStatus_t cusparse##CONST##SpMatGetValues(cusparse##CONST##SpMatDescr_t matrix, POINTER* values) {  \
    return status(matrix != nullptr && tell(values, matrix->arrays[2]));                                     \
  }
// NOLINTEND(bugprone-macro-parentheses)

STRATA_SPARSE(, void*)
STRATA_SPARSE(Const, const void*)

cusparseStatus_t cusparseDestroySpMat(cusparseConstSpMatDescr_t matrix) {
  return destroy(matrix);
}

cusparseStatus_t cusparseSpMatSetValues(cusparseSpMatDescr_t matrix, void* values) {
  return status(matrix != nullptr && tell(&matrix->arrays[2], values));
}

cusparseStatus_t cusparseCsrSetPointers(cusparseSpMatDescr_t matrix, void* offsets, void* columns,
                                        void* values) {
  return point(matrix, CUSPARSE_FORMAT_CSR, {offsets, columns, values});
}
cusparseStatus_t cusparseCscSetPointers(cusparseSpMatDescr_t matrix, void* offsets, void* rows,
                                        void* values) {
  return point(matrix, CUSPARSE_FORMAT_CSC, {offsets, rows, values});
}
cusparseStatus_t cusparseCooSetPointers(cusparseSpMatDescr_t matrix, void* rows, void* columns,
                                        void* values) {
  return point(matrix, CUSPARSE_FORMAT_COO, {rows, columns, values});
}

cusparseStatus_t cusparseSpMatGetFormat(cusparseConstSpMatDescr_t matrix, cusparseFormat_t* format) {
  return status(matrix != nullptr && tell(format, matrix->format));
}
cusparseStatus_t cusparseSpMatGetIndexBase(cusparseConstSpMatDescr_t matrix, cusparseIndexBase_t* base) {
  return status(matrix != nullptr && tell(base, matrix->index_base));
}

cusparseStatus_t cusparseSpMatGetSize(cusparseConstSpMatDescr_t matrix, std::int64_t* rows,
                                      std::int64_t* columns, std::int64_t* entries) {
  if (matrix == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  return status(tell(rows, matrix->rows * matrix->block_rows) &&
                tell(columns, matrix->columns * matrix->block_columns) &&
                tell(entries, matrix->entries * matrix->block_rows * matrix->block_columns));
}

cusparseStatus_t cusparseCooSetStridedBatch(cusparseSpMatDescr_t matrix, int batches, std::int64_t stride) {
  return batch(matrix, CUSPARSE_FORMAT_COO, batches, {stride, stride, stride});
}
// By rows or by columns.
cusparseStatus_t cusparseCsrSetStridedBatch(cusparseSpMatDescr_t matrix, int batches, std::int64_t offsets,
                                            std::int64_t others) {
  const auto format = has(matrix, CUSPARSE_FORMAT_CSC) ? CUSPARSE_FORMAT_CSC : CUSPARSE_FORMAT_CSR;
  return batch(matrix, format, batches, {offsets, others, others});
}
cusparseStatus_t cusparseBsrSetStridedBatch(cusparseSpMatDescr_t matrix, int batches, std::int64_t offsets,
                                            std::int64_t columns, std::int64_t values) {
  return batch(matrix, CUSPARSE_FORMAT_BSR, batches, {offsets, columns, values});
}
cusparseStatus_t cusparseSpMatGetStridedBatch(cusparseConstSpMatDescr_t matrix, int* batches) {
  return status(matrix != nullptr && tell(batches, matrix->batches));
}

cusparseStatus_t cusparseSpMatSetAttribute(cusparseSpMatDescr_t matrix, cusparseSpMatAttribute_t attribute,
                                           void* data, std::size_t bytes) {
  if (matrix == nullptr || data == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  if (attribute == CUSPARSE_SPMAT_FILL_MODE && bytes == sizeof matrix->fill_mode) {
    matrix->fill_mode = *static_cast<const cusparseFillMode_t*>(data);
  } else if (attribute == CUSPARSE_SPMAT_DIAG_TYPE && bytes == sizeof matrix->diagonal) {
    matrix->diagonal = *static_cast<const cusparseDiagType_t*>(data);
  } else {
    return CUSPARSE_STATUS_INVALID_VALUE;
  }
  return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseSpMatGetAttribute(cusparseConstSpMatDescr_t matrix,
                                           cusparseSpMatAttribute_t attribute, void* data,
                                           std::size_t bytes) {
  if (matrix == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  if (attribute == CUSPARSE_SPMAT_FILL_MODE && bytes == sizeof matrix->fill_mode)
    return status(tell(static_cast<cusparseFillMode_t*>(data), matrix->fill_mode));
  if (attribute == CUSPARSE_SPMAT_DIAG_TYPE && bytes == sizeof matrix->diagonal)
    return status(tell(static_cast<cusparseDiagType_t*>(data), matrix->diagonal));
  return CUSPARSE_STATUS_INVALID_VALUE;
}
