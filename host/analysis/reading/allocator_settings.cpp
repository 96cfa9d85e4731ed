// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/reading/allocator_settings.hpp"

#include <algorithm>

#include "strata/ext/memory.h"

namespace strata::analysis {

std::vector<AllocatorSettingsSeen> read_allocator_settings(TableReader& tables, const Recording& run) {
  std::vector<AllocatorSettingsSeen> seen;
  tables.each("torch_allocator_settings", TableReader::Need::kOptional,
              {"device_index", "events", "settings"}, [&](const Row& row) {
                seen.push_back({row.small(0), row.bits(1), std::string(run.texts[tables.text(row, 2)])});
              });
  return seen;
}

void place_allocator_settings(const std::vector<AllocatorSettingsSeen>& seen, Recording& run) {
  if (run.device.type != STRATA_DEVICE_CUDA) return;
  std::vector<AllocatorSettingsSeen> of_device;
  std::ranges::copy_if(seen, std::back_inserter(of_device), [&](const AllocatorSettingsSeen& each) {
    return each.device_index == static_cast<std::uint32_t>(run.device.index);
  });
  auto next = of_device.begin();
  if (next == of_device.end()) return;
  run.allocator_settings = next++->settings;
  const auto counts = [](const MemoryRow& event) {
    return event.action == STRATA_MEMORY_ALLOCATE || event.action == STRATA_MEMORY_SEGMENT_ALLOCATE ||
           event.action == STRATA_MEMORY_SEGMENT_FREE;
  };
  std::uint64_t events = 0;
  for (const MemoryRow& event : run.memory) {
    if (!counts(event)) continue;
    for (; next != of_device.end() && next->events == events; ++next)
      run.allocator_settings_changes.push_back({event.sequence, next->settings});
    ++events;
  }
}

}  // namespace strata::analysis
