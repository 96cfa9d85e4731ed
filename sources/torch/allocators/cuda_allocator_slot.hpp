// SPDX-License-Identifier: Apache-2.0
// Where torch keeps the allocator used by its CUDA half. Found by name if the process has loaded that half,
// and not linked: a run on the CPU loads nothing of CUDA.
#pragma once

#include <c10/cuda/CUDACachingAllocator.h>

#include <atomic>

namespace strata::torch_source {

using CudaAllocatorSlot = std::atomic<c10::cuda::CUDACachingAllocator::CUDAAllocator*>;

// [any] not [alloc-lock]. Null if torch's CUDA half is not loaded.
CudaAllocatorSlot* cuda_allocator_slot();

}  // namespace strata::torch_source
