// SPDX-License-Identifier: Apache-2.0
#include "sources/torch/allocators/cuda_allocator_record.hpp"

#include <string>

#include "strata/ext/store.h"
#include "strata/table.hpp"

namespace strata::torch_source {

// Not in the unnamed namespace, as MemoryReport's rows.
struct CudaAllocatorRow {
  std::uint32_t name;
  std::uint32_t tracing;
};

namespace {

Table<CudaAllocatorRow> cuda_allocator_table(const Host& host) {
  return {host,
          "cuda_allocator",
          "which allocator torch has for CUDA, and how its blocks are known",
          {STRATA_COLUMN(CudaAllocatorRow, name, STRATA_COLUMN_STRING, "", "as torch has it"),
           STRATA_COLUMN(CudaAllocatorRow, tracing, STRATA_COLUMN_UINT32, "",
                         "1: it tells of blocks and segments; 2: wrapped, it counts; 3: wrapped, it has no "
                         "count; 4: it could not be wrapped")}};
}

std::string what_is_missing(const TracedCuda& cuda) {
  switch (cuda.how) {
    case CudaTracing::kNone:
    case CudaTracing::kItself:
      return {};
    case CudaTracing::kCounted:
      return "torch's CUDA allocator here is '" + cuda.allocator +
             "', which tells of no segments: blocks are seen through a wrapper, and of what is reserved the "
             "sum alone.";
    case CudaTracing::kUncounted:
      return "torch's CUDA allocator here is '" + cuda.allocator +
             "', which keeps no count: blocks are seen through a wrapper, as large as they were asked for, "
             "and what is reserved is not known.";
    case CudaTracing::kRefused:
      return cuda.problem;
  }
  return {};
}

}  // namespace

void tell_cuda_allocator(const Host& host, const TracedCuda& cuda) {
  if (const std::string missing = what_is_missing(cuda); !missing.empty()) host.warning(missing);
  if (host.service<strata_store_service>(STRATA_EXT_STORE) == nullptr) return;
  const Table<CudaAllocatorRow> table = cuda_allocator_table(host);
  table.append({.name = table.intern(cuda.allocator), .tracing = static_cast<std::uint32_t>(cuda.how)});
}

}  // namespace strata::torch_source
