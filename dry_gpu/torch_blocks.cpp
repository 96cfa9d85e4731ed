// SPDX-License-Identifier: Apache-2.0
// The bounds of PyTorch's tensors: its allocator takes large pieces of device memory, and only it knows the
// blocks in them. It reports each block to c10's profiler, by a function that this one replaces and calls.
#include <dlfcn.h>

#include <cstddef>
#include <cstdint>

#include "dry_gpu/device/machine.hpp"

namespace c10 {

struct Device {  // as c10/core/Device.h has it
  std::int8_t type;
  std::int8_t index;
};

// A negative size: the block was freed.
__attribute__((visibility("default"))) void reportMemoryUsageToProfiler(void* block, std::int64_t bytes,
                                                                        std::size_t allocated,
                                                                        std::size_t reserved, Device device);

}  // namespace c10

namespace strata::dry_gpu {
namespace {

constexpr std::int8_t kCuda = 1;

using Report = void (*)(void*, std::int64_t, std::size_t, std::size_t, c10::Device);

// Null: the program has another PyTorch. Its libraries are not in the global scope under Python.
Report report_of_torch() {
  static const Report report = [] {
    void* const library = dlopen("libc10.so", RTLD_LAZY | RTLD_NOLOAD);
    void* const symbol = library == nullptr
                             ? nullptr
                             : dlsym(library, "_ZN3c1027reportMemoryUsageToProfilerEPvlmmNS_6DeviceE");
    return reinterpret_cast<Report>(symbol);
  }();
  return report;
}

void note(void* block, std::int64_t bytes) noexcept {
  if (!is_machine_made()) return;
  Machine* const devices = machine().machine;
  if (devices == nullptr) return;
  if (bytes > 0) {
    devices->contents().add_block(address_of(block), static_cast<std::uint64_t>(bytes));
  } else {
    devices->contents().remove_block(address_of(block), static_cast<std::uint64_t>(-bytes));
  }
}

}  // namespace
}  // namespace strata::dry_gpu

namespace c10 {

void reportMemoryUsageToProfiler(void* block, std::int64_t bytes, std::size_t allocated, std::size_t reserved,
                                 Device device) {
  if (device.type == strata::dry_gpu::kCuda) strata::dry_gpu::note(block, bytes);
  if (const auto report = strata::dry_gpu::report_of_torch())
    report(block, bytes, allocated, reserved, device);
}

}  // namespace c10
