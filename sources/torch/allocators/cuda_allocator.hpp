// SPDX-License-Identifier: Apache-2.0
// Reports every block and segment of torch's CUDA caching allocator, on every thread and device.
//
// The allocator calls us under the lock of the device, so its events are in its own order. A registered
// callback is called for the life of the process: it stays valid and does nothing while no host is connected.
// A block's FREE is reported when the program releases it. If a stream still uses the block, the allocator
// reuses it later, but it stops counting it at once.
//
// Other allocators than torch's own report no events and are wrapped (wrapped_cuda_allocator.hpp).
//
// Not seen: allocations before `trace_cuda_allocator`.
#pragma once

#include <cstdint>
#include <string>

namespace strata::torch_source {

enum class CudaTracing : std::uint32_t {
  kNone = 0,       // CUDA is not available or not initialised
  kItself = 1,     // the allocator reports its blocks and segments
  kCounted = 2,    // wrapped: blocks with their sizes, and the reserved total, from the allocator's own count
  kUncounted = 3,  // wrapped: blocks with their requested sizes
  kRefused = 4,    // see `problem`
};

struct TracedCuda {
  CudaTracing how = CudaTracing::kNone;
  std::string allocator;  // "native", "cudaMallocAsync", "pluggable"
  std::string problem;    // why nothing can be reported, with the remedy
};

// [loop-thread] If CUDA is initialised, blocks of the allocator are reported from now on; if not, this has no
// effect. `reports`: c10's memory reporting is used in this run.
TracedCuda trace_cuda_allocator(bool reports);

// [loop-thread] Restores a wrapped allocator. Idempotent.
void restore_cuda_allocator();

}  // namespace strata::torch_source
