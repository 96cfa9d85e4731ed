// SPDX-License-Identifier: Apache-2.0
// Tells of every block and segment of torch's CUDA caching allocator, on every thread and device.
//
// The allocator calls us under the lock of the device, so that its events are in its own order. What it once
// called it calls for the life of the process: the callback stays valid and is silent while no host is
// connected. A block's FREE is told when the program lets go of it; that a stream may still use it delays
// when the allocator gives it to somebody else, not when it stops counting it.
//
// Another allocator than torch's own sends nothing and is wrapped (wrapped_cuda_allocator.hpp).
//
// Not seen: what was allocated before `trace_cuda_allocator`.
#pragma once

#include <cstdint>
#include <string>

namespace strata::torch_source {

enum class CudaTracing : std::uint32_t {
  kNone = 0,       // CUDA is not there, or has not been initialised
  kItself = 1,     // the allocator tells of its blocks and segments
  kCounted = 2,    // wrapped: blocks, their sizes and what is reserved by the allocator's own count
  kUncounted = 3,  // wrapped: blocks as large as they were asked for
  kRefused = 4,    // see `problem`
};

struct TracedCuda {
  CudaTracing how = CudaTracing::kNone;
  std::string allocator;  // "native", "cudaMallocAsync", "pluggable"
  std::string problem;    // why nothing can be told, with the remedy
};

// [loop-thread] Where CUDA has been initialised, the allocator's blocks are told from now on; where it has
// not, nothing happens. `reports`: c10's memory reporting is used in this run.
TracedCuda trace_cuda_allocator(bool reports);

// [loop-thread] A wrapped allocator is in its place again. Idempotent.
void restore_cuda_allocator();

}  // namespace strata::torch_source
