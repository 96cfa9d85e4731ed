// SPDX-License-Identifier: Apache-2.0
// Dense matrices and those of which half is zero by structure, and how large such a one is when compressed.
#include "dry_gpu/cusparselt/opaque.hpp"

using namespace strata::dry_gpu;

namespace {

// Bits of a value that is kept, and of where it was: two where two of four are kept, four where one of two is
// (PTX ISA, mma.sp).
struct Format {
  int value_bits, position_bits;
};

// Empty if cuSPARSELt does not support the type, or only for blocks with a scale, whose format is not public.
std::optional<Format> format_of(cudaDataType type) {
  switch (type) {
    case CUDA_R_8I:
    case CUDA_R_8F_E4M3:
    case CUDA_R_8F_E5M2:
      return Format{8, 2};
    case CUDA_R_16F:
    case CUDA_R_16BF:
      return Format{16, 2};
    case CUDA_R_32F:
      return Format{32, 4};
    default:
      return std::nullopt;
  }
}

cusparseStatus_t describe(const cusparseLtHandle_t* handle, cusparseLtMatDescriptor_t* result,
                          const SparseMatrix& matrix) {
  if (!is_handle(handle)) return CUSPARSE_STATUS_NOT_INITIALIZED;
  const bool is_by_columns = matrix.order == CUSPARSE_ORDER_COL;
  if (!is_by_columns && matrix.order != CUSPARSE_ORDER_ROW) return CUSPARSE_STATUS_INVALID_VALUE;
  const std::int64_t least = is_by_columns ? matrix.rows : matrix.columns;
  if (matrix.rows <= 0 || matrix.columns <= 0 || matrix.leading_dimension < least)
    return CUSPARSE_STATUS_INVALID_VALUE;
  const bool is_supported =
      format_of(matrix.value_type) || (!matrix.is_structured && matrix.value_type == CUDA_R_32I);
  return is_supported ? put(result, matrix) : CUSPARSE_STATUS_NOT_SUPPORTED;
}

// The size required by the format: half the values, and their positions. The real library's padding, and the
// size of the buffer for compressing, are not documented: both answers are counted together.
cusparseStatus_t report_compressed(const std::optional<SparseMatrix>& matrix, std::size_t* bytes,
                                   std::size_t* buffer_bytes) {
  if (!matrix || !matrix->is_structured || bytes == nullptr || buffer_bytes == nullptr)
    return CUSPARSE_STATUS_INVALID_VALUE;
  const std::optional<Format> format = format_of(matrix->value_type);
  const MachineState state = machine();
  if (!format || state.machine == nullptr) return CUSPARSE_STATUS_NOT_SUPPORTED;
  const auto kept = static_cast<std::size_t>(matrix->rows * matrix->columns / 2 * matrix->batches);
  *bytes = (kept * static_cast<std::size_t>(format->value_bits + format->position_bits) + 7) / 8;
  *buffer_bytes = 0;
  state.machine->counts().unknown_workspaces.add();
  return CUSPARSE_STATUS_SUCCESS;
}

}  // namespace

cusparseStatus_t cusparseLtDenseDescriptorInit(const cusparseLtHandle_t* handle,
                                               cusparseLtMatDescriptor_t* result, std::int64_t rows,
                                               std::int64_t columns, std::int64_t leading_dimension,
                                               std::uint32_t, cudaDataType type, cusparseOrder_t order) {
  return describe(handle, result,
                  {.rows = rows,
                   .columns = columns,
                   .leading_dimension = leading_dimension,
                   .value_type = type,
                   .order = order});
}

cusparseStatus_t cusparseLtStructuredDescriptorInit(const cusparseLtHandle_t* handle,
                                                    cusparseLtMatDescriptor_t* result, std::int64_t rows,
                                                    std::int64_t columns, std::int64_t leading_dimension,
                                                    std::uint32_t, cudaDataType type, cusparseOrder_t order,
                                                    cusparseLtSparsity_t sparsity) {
  if (sparsity != CUSPARSELT_SPARSITY_50_PERCENT) return CUSPARSE_STATUS_INVALID_VALUE;
  return describe(handle, result,
                  {.rows = rows,
                   .columns = columns,
                   .leading_dimension = leading_dimension,
                   .value_type = type,
                   .order = order,
                   .is_structured = true});
}

cusparseStatus_t cusparseLtMatDescriptorDestroy(const cusparseLtMatDescriptor_t* matrix) {
  return erase<SparseMatrix>(matrix);
}

cusparseStatus_t cusparseLtMatDescSetAttribute(const cusparseLtHandle_t* handle,
                                               cusparseLtMatDescriptor_t* opaque,
                                               cusparseLtMatDescAttribute_t attribute, const void* data,
                                               std::size_t bytes) {
  if (!is_handle(handle)) return CUSPARSE_STATUS_NOT_INITIALIZED;
  std::optional<SparseMatrix> matrix = content<SparseMatrix>(opaque);
  if (!matrix || data == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  if (attribute == CUSPARSELT_MAT_NUM_BATCHES && bytes == sizeof matrix->batches) {
    matrix->batches = *static_cast<const int*>(data);
    if (matrix->batches <= 0) return CUSPARSE_STATUS_INVALID_VALUE;
  } else if (attribute == CUSPARSELT_MAT_BATCH_STRIDE && bytes == sizeof matrix->batch_stride) {
    matrix->batch_stride = *static_cast<const std::int64_t*>(data);
  } else {
    return CUSPARSE_STATUS_INVALID_VALUE;
  }
  return put(opaque, *matrix);
}

cusparseStatus_t cusparseLtMatDescGetAttribute(const cusparseLtHandle_t* handle,
                                               const cusparseLtMatDescriptor_t* opaque,
                                               cusparseLtMatDescAttribute_t attribute, void* data,
                                               std::size_t bytes) {
  if (!is_handle(handle)) return CUSPARSE_STATUS_NOT_INITIALIZED;
  const std::optional<SparseMatrix> matrix = content<SparseMatrix>(opaque);
  if (!matrix || data == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  if (attribute == CUSPARSELT_MAT_NUM_BATCHES && bytes == sizeof matrix->batches) {
    *static_cast<int*>(data) = matrix->batches;
  } else if (attribute == CUSPARSELT_MAT_BATCH_STRIDE && bytes == sizeof matrix->batch_stride) {
    *static_cast<std::int64_t*>(data) = matrix->batch_stride;
  } else {
    return CUSPARSE_STATUS_INVALID_VALUE;
  }
  return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseLtSpMMACompressedSize2(const cusparseLtHandle_t* handle,
                                                const cusparseLtMatDescriptor_t* matrix, std::size_t* bytes,
                                                std::size_t* buffer_bytes) {
  if (!is_handle(handle)) return CUSPARSE_STATUS_NOT_INITIALIZED;
  return report_compressed(content<SparseMatrix>(matrix), bytes, buffer_bytes);
}

cusparseStatus_t cusparseLtSpMMACompressedSize(const cusparseLtHandle_t* handle,
                                               const cusparseLtMatmulPlan_t* opaque, std::size_t* bytes,
                                               std::size_t* buffer_bytes) {
  if (!is_handle(handle)) return CUSPARSE_STATUS_NOT_INITIALIZED;
  const std::optional<SparsePlan> plan = content<SparsePlan>(opaque);
  return report_compressed(plan ? std::optional(plan->structured) : std::nullopt, bytes, buffer_bytes);
}
