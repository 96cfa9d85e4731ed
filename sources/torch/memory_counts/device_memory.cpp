// SPDX-License-Identifier: Apache-2.0
#include "sources/torch/memory_counts/device_memory.hpp"

#include <ATen/detail/CUDAHooksInterface.h>
#include <c10/core/CachingDeviceAllocator.h>
#include <dlfcn.h>

#include <algorithm>
#include <atomic>

namespace strata::torch_source {
namespace {

using c10::CachingAllocator::StatArray;
using c10::CachingAllocator::StatType;

// Null before CUDA is initialised: torch caches the result of the first query of its hooks, so they must not
// be queried before CUDA's half is loaded.
c10::DeviceAllocator* allocator() {
  static std::atomic<bool> is_loaded{false};  // for good
  if (!is_loaded && dlopen("libtorch_cuda.so", RTLD_NOW | RTLD_NOLOAD) == nullptr) return nullptr;
  is_loaded = true;
  c10::DeviceAllocator* const found = c10::getDeviceAllocator(c10::kCUDA);
  return found->initialized() ? found : nullptr;
}

// Only those with a context.
template <typename Use>
void each_device(const Use& use) {
  c10::DeviceAllocator* const cuda = allocator();
  if (cuda == nullptr) return;
  const at::CUDAHooksInterface& hooks = at::detail::getCUDAHooks();
  const int devices = hooks.getNumGPUs();
  for (int device = 0; device < devices; ++device) {
    const auto index = static_cast<c10::DeviceIndex>(device);
    if (hooks.hasPrimaryContext(index)) use(*cuda, index);
  }
}

Count count_of(const StatArray& counts) {
  const auto& all = counts[static_cast<std::size_t>(StatType::AGGREGATE)];
  return {static_cast<std::uint64_t>(all.current), static_cast<std::uint64_t>(all.peak)};
}

}  // namespace

std::vector<DeviceCounts> device_counts() {
  std::vector<DeviceCounts> counts;
  each_device([&](c10::DeviceAllocator& cuda, c10::DeviceIndex device) {
    const auto stats = cuda.getDeviceStats(device);
    counts.push_back({device, count_of(stats.allocated_bytes), count_of(stats.reserved_bytes),
                      count_of(stats.requested_bytes)});
  });
  return counts;
}

std::vector<DeviceMemory> device_memory() {
  std::vector<DeviceMemory> devices;
  each_device([&](c10::DeviceAllocator& cuda, c10::DeviceIndex device) {
    const auto [free_bytes, total_bytes] = cuda.getMemoryInfo(device);
    devices.push_back({device, total_bytes - std::min(free_bytes, total_bytes), total_bytes});
  });
  return devices;
}

void reset_device_peaks() {
  each_device([](c10::DeviceAllocator& cuda, c10::DeviceIndex device) { cuda.resetPeakStats(device); });
}

}  // namespace strata::torch_source
