// SPDX-License-Identifier: Apache-2.0
// The settings of torch's CUDA allocator that a run recorded, and the program's changes to them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "host/analysis/reading/table_reader.hpp"
#include "host/analysis/recording/recording.hpp"

namespace strata::analysis {

struct AllocatorSettingsSeen {
  std::uint32_t device_index;
  std::uint64_t
      events;  // allocations and segment events of the device before the one at which they were read
  std::string settings;
};

std::vector<AllocatorSettingsSeen> read_allocator_settings(TableReader& tables, const Recording& run);

// Sets the run's settings and their changes. `run.memory` has all events of the run's device, and no others.
void place_allocator_settings(const std::vector<AllocatorSettingsSeen>& seen, Recording& run);

}  // namespace strata::analysis
