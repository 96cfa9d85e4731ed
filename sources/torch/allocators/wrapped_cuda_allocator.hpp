// SPDX-License-Identifier: Apache-2.0
// For CUDA allocators that do not report their blocks: cudaMallocAsync's, and those that a program plugs in.
// A wrapper reports the blocks, on every thread and device, and changes nothing else.
//
// Segments of such an allocator are internal and not reported. If it has a count (cudaMallocAsync asks the
// driver), its reserved total is reported, and blocks have the size that is counted. A plugged-in allocator
// has no count: blocks have their requested size.
//
// Not seen: allocations before the wrapping, including their frees.
#pragma once

#include "sources/torch/allocators/cuda_allocator_slot.hpp"

namespace strata::torch_source {

enum class BlockReports : bool { kNone, kToC10 };

// [loop-thread] Puts the wrapper where torch looks for its allocator, which must be initialised. `reports`:
// whether blocks are passed to c10's memory reporting as torch's own allocator does; an allocator without a
// count has nothing to report there. Returns false if another allocator was wrapped earlier in this process:
// blocks of the first one could no longer be freed correctly.
bool wrap_cuda_allocator(CudaAllocatorSlot& slot, BlockReports reports);

// [loop-thread] Removes the wrapper; live blocks keep what they need. Idempotent.
void unwrap_cuda_allocator(CudaAllocatorSlot& slot);

// Whether the wrapped allocator counts the memory that it hands out.
bool wrapped_cuda_allocator_counts();

}  // namespace strata::torch_source
