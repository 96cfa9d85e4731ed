// SPDX-License-Identifier: Apache-2.0
// The contents of cuSPARSELt's opaque structures. They are the caller's memory, and may be copied and dropped
// at will: each begins with a tag of its type, and a structure without the tag is invalid.
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <type_traits>

#pragma GCC visibility push(default)
#include <cusparseLt.h>
#pragma GCC visibility pop

#include "dry_gpu/cudart/library_call.hpp"

namespace strata::dry_gpu {

struct SparseHandle {
  static constexpr std::uint64_t kMark = 0x73747261746101;
  std::uint64_t mark = kMark;
};

struct SparseMatrix {
  static constexpr std::uint64_t kMark = 0x73747261746102;
  std::uint64_t mark = kMark;
  std::int64_t rows = 0, columns = 0, leading_dimension = 0;
  cudaDataType value_type{};
  cusparseOrder_t order{};
  bool is_structured = false;
  int batches = 1;
  std::int64_t batch_stride = 0;
};

struct SparseMatmul {
  static constexpr std::uint64_t kMark = 0x73747261746103;
  std::uint64_t mark = kMark;
  SparseMatrix structured;
};

struct SparseAlgorithm {
  static constexpr std::uint64_t kMark = 0x73747261746104;
  std::uint64_t mark = kMark;
  int id = 0;
  int search_iterations = 5;
  int split_k = 1;
  cusparseLtSplitKMode_t split_k_mode = CUSPARSELT_INVALID_MODE;
  int split_k_buffers = 0;
};

struct SparsePlan {
  static constexpr std::uint64_t kMark = 0x73747261746105;
  std::uint64_t mark = kMark;
  SparseMatrix structured;
};

template <typename Content, typename Opaque>
cusparseStatus_t put(Opaque* opaque, const Content& content) {
  static_assert(std::is_trivially_copyable_v<Content> && sizeof(Content) <= sizeof(Opaque));
  if (opaque == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  std::memcpy(opaque->data, &content, sizeof content);
  return CUSPARSE_STATUS_SUCCESS;
}

// Empty if it was never initialised, or was destroyed.
template <typename Content, typename Opaque>
std::optional<Content> content(const Opaque* opaque) {
  if (opaque == nullptr) return std::nullopt;
  Content copy;
  std::memcpy(&copy, opaque->data, sizeof copy);
  if (copy.mark != Content::kMark) return std::nullopt;
  return copy;
}

// Casts away const, because the functions that destroy a structure take it as constant.
template <typename Content, typename Opaque>
cusparseStatus_t erase(const Opaque* opaque) {
  if (!content<Content>(opaque)) return CUSPARSE_STATUS_INVALID_VALUE;
  std::memset(const_cast<std::uint8_t*>(opaque->data), 0, sizeof(Content));
  return CUSPARSE_STATUS_SUCCESS;
}

inline bool is_handle(const cusparseLtHandle_t* handle) {
  return content<SparseHandle>(handle).has_value();
}

}  // namespace strata::dry_gpu
