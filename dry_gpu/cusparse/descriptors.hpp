// SPDX-License-Identifier: Apache-2.0
// The contents of cuSPARSE's generic descriptors of vectors and matrices: exactly the values passed by their
// creators.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <type_traits>

#pragma GCC visibility push(default)
#include <cusparse.h>
#pragma GCC visibility pop

#include "dry_gpu/library_object.hpp"

struct cusparseDnVecDescr {
  std::int64_t size = 0;
  const void* values = nullptr;
  cudaDataType value_type{};
};

struct cusparseDnMatDescr {
  std::int64_t rows = 0, columns = 0, leading_dimension = 0;
  const void* values = nullptr;
  cudaDataType value_type{};
  cusparseOrder_t order{};
  int batches = 1;
  std::int64_t batch_stride = 0;
};

struct cusparseSpVecDescr {
  std::int64_t size = 0, entries = 0;
  const void* indices = nullptr;
  const void* values = nullptr;
  cusparseIndexType_t index_type{};
  cusparseIndexBase_t index_base{};
  cudaDataType value_type{};
};

struct cusparseSpMatDescr {
  cusparseFormat_t format{};
  std::int64_t rows = 0, columns = 0, entries = 0;  // in blocks, for a blocked format
  // Rows or their offsets, columns or their offsets, and values: in the order of the format's functions.
  std::array<const void*, 3> arrays{};
  std::array<cusparseIndexType_t, 2> index_types{};
  cusparseIndexBase_t index_base{};
  cudaDataType value_type{};

  std::int64_t block_rows = 1, block_columns = 1;
  cusparseOrder_t block_order = CUSPARSE_ORDER_ROW;
  int batches = 1;
  std::array<std::int64_t, 3> batch_strides{};  // for the arrays
  cusparseFillMode_t fill_mode = CUSPARSE_FILL_MODE_LOWER;
  cusparseDiagType_t diagonal = CUSPARSE_DIAG_TYPE_NON_UNIT;
};

namespace strata::dry_gpu {

// Gives a descriptor to the program, if its contents are valid. `result` may be for a constant one.
template <typename Descriptor, typename Result>
cusparseStatus_t give(Result* result, bool is_valid, const Descriptor& described) {
  if (result == nullptr || !is_valid) return CUSPARSE_STATUS_INVALID_VALUE;
  return give_new<CUSPARSE_STATUS_ALLOC_FAILED>(result, described);
}

template <typename Descriptor>
cusparseStatus_t destroy(const Descriptor* descriptor) {
  const std::unique_ptr<const Descriptor> owned(descriptor);
  return CUSPARSE_STATUS_SUCCESS;
}

// For the output pointer of an answer: cuSPARSE requires one for every answer of a function.
template <typename Place, typename Value>
bool tell(Place* place, const Value& value) {
  if (place == nullptr) return false;
  if constexpr (std::is_pointer_v<Place>) {
    // A program that asks for a mutable pointer passed a mutable one when it created the descriptor.
    *place = const_cast<Place>(static_cast<const void*>(value));
  } else {
    *place = value;
  }
  return true;
}

inline cusparseStatus_t status(bool is_right) {
  return is_right ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_INVALID_VALUE;
}

inline bool is_index_base(cusparseIndexBase_t base) {
  return base == CUSPARSE_INDEX_BASE_ZERO || base == CUSPARSE_INDEX_BASE_ONE;
}

}  // namespace strata::dry_gpu
