// SPDX-License-Identifier: Apache-2.0
// Records torch's own counts of each CUDA device, DeviceStats, at the end of each step, so that the results
// computed from our events can be checked against them. The peaks are per step: they are reset when it
// begins, as by torch.cuda.reset_peak_memory_stats.
#pragma once

#include <cstdint>

#include "strata/events.h"
#include "strata/host.hpp"
#include "strata/table.hpp"

namespace strata::torch_source {

struct DeviceStatsRow {
  std::uint64_t sequence;
  std::uint64_t reset_sequence;
  std::uint64_t allocated_bytes, peak_allocated_bytes;
  std::uint64_t reserved_bytes, peak_reserved_bytes;
  std::uint64_t requested_bytes, peak_requested_bytes;
  std::uint32_t device_type;
  std::uint32_t device_index;
};

class DeviceStatsReport {
 public:
  // [loop-thread] Declares the table. Throws std::runtime_error if the host keeps no store.
  explicit DeviceStatsReport(const Host& host);

  // [loop-thread]
  void write(const strata_when& when) const;
  // [loop-thread] Writes the peaks so far, then resets them.
  void write_and_reset(const strata_when& when);

 private:
  Table<DeviceStatsRow> table_;
  std::uint64_t reset_sequence_ = 0;
};

}  // namespace strata::torch_source
