// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace strata::analysis {

// How the blocks of torch's CUDA allocator were recorded.
enum class CudaTracing : std::uint8_t {
  kUnknown,    // not recorded: an older run
  kItself,     // it reported blocks and segments
  kCounted,    // wrapped: blocks, and the reserved sum
  kUncounted,  // wrapped: blocks with their requested sizes
  kRefused,    // nothing
};

struct CudaAllocator {
  std::string name;
  CudaTracing tracing = CudaTracing::kUnknown;
};

// Settings that the program gave torch's allocator while it ran.
struct AllocatorSettingsChange {
  std::uint64_t sequence = 0;  // of the first event that they may have affected
  std::string settings;        // as in PYTORCH_CUDA_ALLOC_CONF
};

}  // namespace strata::analysis
