// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/allocator/cuda_allocator.hpp"

#include <fmt/format.h>

namespace strata::analysis {

CudaTracing cuda_tracing(std::uint32_t stored) {
  const bool is_known = stored <= static_cast<std::uint32_t>(CudaTracing::kRefused);
  return is_known ? static_cast<CudaTracing>(stored) : CudaTracing::kUnknown;
}

std::string what_is_not_known(const CudaAllocator& allocator) {
  constexpr const char* kRemedy =
      "For all of it run with torch's own allocator: no backend: in PYTORCH_CUDA_ALLOC_CONF, and none "
      "plugged "
      "in";
  switch (allocator.tracing) {
    case CudaTracing::kUnknown:
    case CudaTracing::kItself:
      return {};
    case CudaTracing::kCounted:
      return fmt::format(
          "torch's CUDA allocator was '{}', which tells of no segments: every block is here, and what was "
          "reserved as a sum, but not where it was or which stream had it. {}",
          allocator.name, kRemedy);
    case CudaTracing::kUncounted:
      return fmt::format(
          "torch's CUDA allocator was '{}', which keeps no count: every block is here, as large as it was "
          "asked "
          "for, but not what was reserved, so that it is shown as what was allocated. {}",
          allocator.name, kRemedy);
    case CudaTracing::kRefused:
      return fmt::format(
          "torch's CUDA allocator was '{}', put there after another one had been traced in the process: its "
          "memory is not here. Choose the allocator before the first run of a process",
          allocator.name);
  }
  return {};
}

}  // namespace strata::analysis
