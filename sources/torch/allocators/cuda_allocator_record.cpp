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
          "torch's allocator for CUDA, and how its blocks are traced",
          {STRATA_COLUMN(CudaAllocatorRow, name, STRATA_COLUMN_STRING, "", "its name in torch"),
           STRATA_COLUMN(CudaAllocatorRow, tracing, STRATA_COLUMN_UINT32, "",
                         "1: reports blocks and segments; 2: wrapped, keeps a count; 3: wrapped, keeps no "
                         "count; 4: could not be wrapped")}};
}

std::string what_is_missing(const TracedCuda& cuda) {
  switch (cuda.how) {
    case CudaTracing::kNone:
    case CudaTracing::kItself:
      return {};
    case CudaTracing::kCounted:
      return "torch's CUDA allocator here is '" + cuda.allocator +
             "', which does not report segments: blocks are seen through a wrapper, and only the total of "
             "reserved memory is known.";
    case CudaTracing::kUncounted:
      return "torch's CUDA allocator here is '" + cuda.allocator +
             "', which keeps no count: blocks are seen through a wrapper with their requested sizes, and "
             "reserved memory is unknown.";
    case CudaTracing::kRefused:
      return cuda.problem;
  }
  return {};
}

}  // namespace

void report_cuda_allocator(const Host& host, const TracedCuda& cuda) {
  if (const std::string missing = what_is_missing(cuda); !missing.empty()) host.warning(missing);
  if (host.service<strata_store_service>(STRATA_EXT_STORE) == nullptr) return;
  const Table<CudaAllocatorRow> table = cuda_allocator_table(host);
  table.append({.name = table.intern(cuda.allocator), .tracing = static_cast<std::uint32_t>(cuda.how)});
}

}  // namespace strata::torch_source
