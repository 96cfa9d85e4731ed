// SPDX-License-Identifier: Apache-2.0
// Memory as shown by tools: NVTX counters of each device, sampled at every change, if both the headers and
// the tool support them; else marks at the end of each phase and step.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <utility>

#include "plugins/nvtx_markers/device_memory.hpp"
#include "plugins/nvtx_markers/domain.hpp"

namespace strata::nvtx_markers {

// The values of the option `memory`.
enum class MemoryMarks { kCounters, kMarks, kNone };

class MemoryTrack {
 public:
  MemoryTrack(Domain& domain, MemoryMarks wanted);

  bool listens() const noexcept { return domain_.attached() && wanted_ != MemoryMarks::kNone; }

  // [any] [alloc-lock] The counters of a device change in the order of its events.
  void on_memory(const strata_memory_event& event);

  // [any] The bytes of the device that trains.
  DeviceBytes of_training() const;

  // [loop-thread] A phase or a step ended: marks the values of `of_training`, unless there are counters.
  void mark() const;

 private:
  struct Counters {
    std::uint64_t allocated = 0, reserved = 0;  // ids; 0: the tool does not support counters
  };
  using Key = std::pair<std::uint32_t, std::int32_t>;

  void sample(const strata_device& device);
  Counters register_counters(const strata_device& device) const;

  Domain& domain_;
  const MemoryMarks wanted_;
  const nvtxStringHandle_t allocated_text_, reserved_text_;
  mutable std::mutex mutex_;
  DeviceMemory memory_;
  std::map<Key, Counters> counters_;
  bool has_counters_ = false;
};

}  // namespace strata::nvtx_markers
