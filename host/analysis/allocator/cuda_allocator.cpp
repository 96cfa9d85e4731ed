// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/allocator/cuda_allocator.hpp"

namespace strata::analysis {

CudaTracing cuda_tracing(std::uint32_t stored) {
  const bool is_known = stored <= static_cast<std::uint32_t>(CudaTracing::kRefused);
  return is_known ? static_cast<CudaTracing>(stored) : CudaTracing::kUnknown;
}

bool leaves_unknown(const CudaAllocator& allocator) {
  return allocator.tracing != CudaTracing::kUnknown && allocator.tracing != CudaTracing::kItself;
}

}  // namespace strata::analysis
