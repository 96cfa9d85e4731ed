// SPDX-License-Identifier: Apache-2.0
// Kernels that are launched, as far as anybody can see: they take a place in their stream, and compute
// nothing.
#pragma once

#include <cstdint>

#include "dry_gpu/cuda_api.hpp"
#include "dry_gpu/device/machine.hpp"

namespace strata::dry_gpu {

struct Launch {
  const void* kernel;  // its host function, or its CUfunction
  dim3 grid, block;
  std::size_t shared_bytes;
  void** arguments = nullptr;  // as they are given; null: not known
  const char* name = nullptr;  // null: registered with the host function
};

// cudaErrorInvalidConfiguration: no device of this profile takes such a grid or block.
// cudaErrorMemoryAllocation: there is no room for the code that the launch loads.
cudaError_t launch(Machine& machine, CUstream_st& stream, const Launch& launch);

// Blocks of a kernel that one multiprocessor holds at a time, were it bound by threads and shared memory
// alone: how many registers a kernel needs is not looked at.
int resident_blocks(const DeviceProfile& profile, int threads_per_block, std::size_t shared_bytes);

}  // namespace strata::dry_gpu
