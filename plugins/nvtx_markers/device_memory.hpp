// SPDX-License-Identifier: Apache-2.0
// The bytes that each device's allocator has handed out and holds, computed from its events.
//
// For CUDA's allocator these are torch's own memory_allocated and memory_reserved. An event carries the total
// handed out before it, so a block counts with its requested size, rounded up to 512 bytes, until the
// device's next event gives its real size (docs/decisions/011). Other allocators have no such total: their
// blocks count with their requested size, and the bytes that they hold are known only if they report them.
#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>

#include "strata/ext/memory.h"

namespace strata::nvtx_markers {

struct DeviceBytes {
  std::uint64_t allocated = 0;
  std::uint64_t reserved = 0;  // 0 if the allocator does not report it
};

// Not thread-safe.
class DeviceMemory {
 public:
  // Returns whether either value of the event's device changed.
  bool note(const strata_memory_event& event);

  DeviceBytes of(const strata_device& device) const;
  // The first CUDA device that had an event, or else the CPU.
  DeviceBytes of_training() const;

 private:
  struct Device {
    DeviceBytes bytes;
    std::unordered_map<std::uint64_t, std::uint64_t> blocks;  // bytes by address
    std::uint64_t unsettled = 0;  // the address whose size the next event settles; 0: none
    std::uint64_t handed_out_before = 0;
  };
  using Key = std::pair<std::uint32_t, std::int32_t>;  // type, index

  static void settle(Device& device, std::uint64_t handed_out);
  static void allocate(Device& device, const strata_memory_event& event);
  static void free(Device& device, std::uint64_t address);

  std::map<Key, Device> devices_;
};

}  // namespace strata::nvtx_markers
