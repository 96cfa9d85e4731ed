// SPDX-License-Identifier: Apache-2.0
// How much each device's allocator has handed out and holds, counted from its events.
//
// Of CUDA's allocator these are torch's own memory_allocated and memory_reserved: an event carries the total
// that was handed out before it, so a block is counted as it was asked for, rounded to 512 bytes, until the
// device's next event says how large it really is (docs/decisions/011). Other allocators keep no such total:
// their blocks count as asked for, and what they hold is known only where they tell of it.
#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>

#include "strata/ext/memory.h"

namespace strata::nvtx_markers {

struct DeviceBytes {
  std::uint64_t allocated = 0;
  std::uint64_t reserved = 0;  // 0 where the allocator does not tell
};

// Not thread-safe.
class DeviceMemory {
 public:
  // Whether either figure of the event's device changed.
  bool note(const strata_memory_event& event);

  DeviceBytes of(const strata_device& device) const;
  // The first CUDA device that had an event, else the CPU.
  DeviceBytes of_training() const;

 private:
  struct Device {
    DeviceBytes bytes;
    std::unordered_map<std::uint64_t, std::uint64_t> blocks;  // bytes by address
    std::uint64_t unsettled = 0;  // the address whose bytes the next event settles; 0: none
    std::uint64_t handed_out_before = 0;
  };
  using Key = std::pair<std::uint32_t, std::int32_t>;  // type, index

  static void settle(Device& device, std::uint64_t handed_out);
  static void allocate(Device& device, const strata_memory_event& event);
  static void free(Device& device, std::uint64_t address);

  std::map<Key, Device> devices_;
};

}  // namespace strata::nvtx_markers
