// SPDX-License-Identifier: Apache-2.0
// Kernel launches, as far as the host can see them: they take a place in their stream and compute nothing.
#pragma once

#include <cstdint>

#include "dry_gpu/cuda_api.hpp"
#include "dry_gpu/device/machine.hpp"

namespace strata::dry_gpu {

struct Launch {
  const void* kernel;  // its host function, or its CUfunction
  dim3 grid, block;
  std::size_t shared_bytes;
  void** arguments = nullptr;  // as passed by the caller; null: unknown
  const char* name = nullptr;  // null: registered with the host function
};

// cudaErrorInvalidConfiguration: no device with this profile accepts the grid or block.
// cudaErrorMemoryAllocation: there is no space for the code that the launch loads.
cudaError_t launch(Machine& machine, CUstream_st& stream, const Launch& launch);

// The number of blocks of a kernel that one multiprocessor holds at a time, limited only by threads and
// shared memory: registers are not considered.
int resident_blocks(const DeviceProfile& profile, int threads_per_block, std::size_t shared_bytes);

}  // namespace strata::dry_gpu
