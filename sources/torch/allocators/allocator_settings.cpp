// SPDX-License-Identifier: Apache-2.0
#include "sources/torch/allocators/allocator_settings.hpp"

#include <c10/core/AllocatorConfig.h>

#include <array>
#include <cstddef>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "strata/ext/store.h"

namespace strata::torch_source {
namespace {

struct Noted {
  std::int32_t device;
  std::uint64_t events;
  std::string settings;
};

using Config = c10::CachingAllocator::AcceleratorAllocatorConfig;

// The settings that are read at every event, because that costs little.
struct Numbers {
  bool expandable_segments = Config::use_expandable_segments();
  std::size_t max_split_size = Config::max_split_size();
  std::size_t max_non_split_rounding_size = Config::max_non_split_rounding_size();
  double garbage_collection_threshold = Config::garbage_collection_threshold();
  bool operator==(const Numbers&) const = default;
};

// Of a device, under its lock.
struct Seen {
  std::uint64_t events = 0;
  std::optional<Numbers> numbers;
  std::optional<std::string> settings;
};

constexpr std::size_t kMostDevices = 128;

struct State {
  std::array<Seen, kMostDevices> seen;
  std::mutex mutex;
  std::vector<Noted> noted;
};

// Never destroyed: programs free memory from static destructors.
State& state() {
  static State& only = *new State;  // NOLINT(cppcoreguidelines-owning-memory)
  return only;
}

Table<AllocatorSettingsRow> settings_table(const Host& host) {
  return {
      host,
      "allocator_settings",
      "settings of torch's CUDA allocator: those at a device's first event, then each change",
      {STRATA_COLUMN(AllocatorSettingsRow, device_index, STRATA_COLUMN_UINT32, "", "of the CUDA device"),
       STRATA_COLUMN(AllocatorSettingsRow, events, STRATA_COLUMN_UINT64, "",
                     "allocations and segment events of that device before the one at which they were read"),
       STRATA_COLUMN(AllocatorSettingsRow, settings, STRATA_COLUMN_STRING, "",
                     "in the form of PYTORCH_CUDA_ALLOC_CONF")}};
}

}  // namespace

void note_allocator_settings(std::int32_t device, bool is_segment) {
  const auto index = static_cast<std::size_t>(device);
  if (index >= kMostDevices) return;
  Seen& seen = state().seen[index];
  const std::uint64_t events = seen.events++;
  const Numbers numbers;
  if (!is_segment && seen.numbers == numbers) return;
  seen.numbers = numbers;
  std::string now = c10::CachingAllocator::getAllocatorSettings();
  if (seen.settings == now) return;
  const std::scoped_lock lock(state().mutex);
  state().noted.push_back({device, events, now});
  seen.settings = std::move(now);
}

AllocatorSettingsLog::AllocatorSettingsLog(const Host& host) : host_(host) {
  const std::scoped_lock lock(state().mutex);
  state().seen = {};
  state().noted.clear();
}

void AllocatorSettingsLog::write() {
  std::vector<Noted> noted;
  {
    const std::scoped_lock lock(state().mutex);
    noted = std::exchange(state().noted, {});
  }
  if (noted.empty() || host_.service<strata_store_service>(STRATA_EXT_STORE) == nullptr) return;
  if (!table_) table_.emplace(settings_table(host_));
  for (const Noted& each : noted)
    table_->append({.device_index = static_cast<std::uint32_t>(each.device),
                    .events = each.events,
                    .settings = table_->intern(each.settings)});
}

}  // namespace strata::torch_source
