// SPDX-License-Identifier: Apache-2.0
// What tools see of memory: NVTX counters of each device, sampled at every change, where both the headers and
// the tool know them; else marks, at the ends of phases and steps.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <utility>

#include "plugins/nvtx_markers/device_memory.hpp"
#include "plugins/nvtx_markers/domain.hpp"

namespace strata::nvtx_markers {

// As the option `memory` says it.
enum class MemoryMarks { kCounters, kMarks, kNone };

class MemoryTrack {
 public:
  MemoryTrack(Domain& domain, MemoryMarks wanted);

  bool listens() const noexcept { return domain_.attached() && wanted_ != MemoryMarks::kNone; }

  // [any] [alloc-lock] One device's counters change in the order of its events.
  void on_memory(const strata_memory_event& event);

  // [any] Of the device that trains.
  DeviceBytes of_training() const;

  // [loop-thread] A phase or a step ended: marks what `of_training` says, unless there are counters.
  void mark() const;

 private:
  struct Counters {
    std::uint64_t allocated = 0, reserved = 0;  // ids; 0: the tool knows no counters
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
