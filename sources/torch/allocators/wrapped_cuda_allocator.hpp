// SPDX-License-Identifier: Apache-2.0
// For a CUDA allocator that tells nobody of its blocks: cudaMallocAsync's, and what a program plugs in. It is
// wrapped in one that tells of them, on every thread and device, and does nothing else.
//
// What such an allocator has of segments is its own: they are not told. Where it counts (cudaMallocAsync asks
// the driver), what it holds of the device is, and blocks have the size that they are counted with. One that
// a program plugged in has no count: blocks are as large as they were asked for.
//
// Not seen: what was allocated before it was wrapped, also its frees.
#pragma once

#include "sources/torch/allocators/cuda_allocator_slot.hpp"

namespace strata::torch_source {

enum class BlockReports : bool { kNone, kToC10 };

// [loop-thread] Puts the wrapper where torch looks for its allocator, which must have been initialised.
// `reports`: whether c10's memory reporting is told of blocks as torch's own allocator tells it; an allocator
// without a count has nothing to tell there. False: another one was wrapped before in this process, and
// blocks of the first could no longer be freed rightly.
bool wrap_cuda_allocator(CudaAllocatorSlot& slot, BlockReports reports);

// [loop-thread] Takes it away again; blocks that are alive keep what they need. Idempotent.
void unwrap_cuda_allocator(CudaAllocatorSlot& slot);

// Whether the allocator that is wrapped counts what it hands out.
bool wrapped_cuda_allocator_counts();

}  // namespace strata::torch_source
