// SPDX-License-Identifier: Apache-2.0
// What CUDA says of its devices' memory, and what torch's allocator counts of it.
//
// Nothing here makes a context: a device that the program has not touched is left out, and a process that has
// not loaded CUDA's half of torch has no device.
#pragma once

#include <cstdint>
#include <vector>

namespace strata::torch_source {

struct DeviceMemory {
  std::int32_t device = 0;
  std::uint64_t used_bytes = 0;   // by all processes: cudaMemGetInfo's total less its free
  std::uint64_t total_bytes = 0;  // of the device
};

// One of torch's counts, and its largest value since the peaks were reset last.
struct Count {
  std::uint64_t bytes = 0, peak_bytes = 0;
};

// c10's DeviceStats of a device, over all of the allocator's pools.
struct DeviceCounts {
  std::int32_t device = 0;
  Count allocated, reserved, requested;
};

// [any] not [alloc-lock]. Takes each device's lock for a moment.
std::vector<DeviceCounts> device_counts();

// [any] not [alloc-lock]. Asks CUDA. Throws c10::Error where CUDA answers with an error.
std::vector<DeviceMemory> device_memory();

// [any] not [alloc-lock]. As torch.cuda.reset_peak_memory_stats does, for every device.
void reset_device_peaks();

}  // namespace strata::torch_source
