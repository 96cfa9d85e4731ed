// SPDX-License-Identifier: Apache-2.0
// The settings of torch's CUDA caching allocator (PYTORCH_CUDA_ALLOC_CONF) during a run. A program may change
// them at any time with torch.cuda.memory._set_allocator_settings. All are read when a segment comes or goes,
// and those that are single numbers at each allocation.
#pragma once

#include <cstdint>
#include <optional>

#include "strata/host.hpp"
#include "strata/table.hpp"

namespace strata::torch_source {

// [alloc-lock] of the device: before each allocation and segment event that is reported.
void note_allocator_settings(std::int32_t device, bool is_segment);

struct AllocatorSettingsRow {
  std::uint32_t device_index;
  std::uint64_t events;
  std::uint32_t settings;
};

// Of one run.
class AllocatorSettingsLog {
 public:
  // [loop-thread] with no host connected.
  explicit AllocatorSettingsLog(const Host& host);

  // [loop-thread] Records what was noted since the last call. Throws std::runtime_error if the host rejects
  // the table; without a store there is no table.
  void write();

 private:
  const Host& host_;
  std::optional<Table<AllocatorSettingsRow>> table_;  // from the first row on
};

}  // namespace strata::torch_source
