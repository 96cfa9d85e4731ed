// SPDX-License-Identifier: Apache-2.0
// The memory of CUDA devices, as reported by CUDA and as counted by torch's allocator.
//
// Nothing here creates a context: devices that the program has not used are left out, and a process without
// torch's CUDA half has no device.
#pragma once

#include <cstdint>
#include <vector>

namespace strata::torch_source {

struct DeviceMemory {
  std::int32_t device = 0;
  std::uint64_t used_bytes = 0;   // by all processes: total minus free of cudaMemGetInfo
  std::uint64_t total_bytes = 0;  // of the device
};

// One of torch's counters, and its maximum since the peaks were last reset.
struct Count {
  std::uint64_t bytes = 0, peak_bytes = 0;
};

// c10's DeviceStats of one device, over all pools of the allocator.
struct DeviceCounts {
  std::int32_t device = 0;
  Count allocated, reserved, requested;
};

// [any] not [alloc-lock]. Takes each device's lock briefly.
std::vector<DeviceCounts> device_counts();

// [any] not [alloc-lock]. Asks CUDA. Throws c10::Error if CUDA returns an error.
std::vector<DeviceMemory> device_memory();

// [any] not [alloc-lock]. Like torch.cuda.reset_peak_memory_stats, for every device.
void reset_device_peaks();

}  // namespace strata::torch_source
