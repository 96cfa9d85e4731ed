// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/reading/device_choice.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <stdexcept>
#include <unordered_set>

#include "host/analysis/allocator/other_memory.hpp"
#include "host/analysis/recording/recording.hpp"
#include "strata/ext/memory.h"

namespace strata::analysis {
namespace {

constexpr Device kNoDevice{UINT32_MAX, -1};

bool is_host(const Device& device) {
  return device.type != STRATA_DEVICE_CUDA;
}

Device most_used(const std::vector<MemoryRow>& events, const std::vector<Device>& devices) {
  const std::vector<OtherMemory> all = other_memory(events, {}, kNoDevice);
  const auto peak_bytes = [&](const Device& device) {
    const auto found = std::ranges::find(all, device_name(device), &OtherMemory::device);
    return found == all.end() ? 0 : found->peak_allocated_bytes;
  };
  return *std::ranges::max_element(devices, {}, peak_bytes);  // the first of several
}

}  // namespace

Device choose_device(const std::vector<MemoryRow>& events, const std::string& name) {
  std::set<Device> devices;
  for (const MemoryRow& event : events) devices.insert(event.device);
  if (name.empty()) {
    std::vector<Device> cuda;
    std::ranges::copy_if(devices, std::back_inserter(cuda),
                         [](const Device& each) { return !is_host(each); });
    if (cuda.empty()) return *devices.begin();
    return cuda.size() == 1 ? cuda.front() : most_used(events, cuda);
  }
  std::vector<std::string> names;
  for (const Device& device : devices) {
    names.push_back(device_name(device));
    if (names.back() == name) return device;
  }
  throw std::invalid_argument(
      fmt::format("it recorded no memory of '{}', only of {}", name, fmt::join(names, ", ")));
}

void keep_tensors_of_device(const std::vector<MemoryRow>& events, Recording& run) {
  const Device device = run.device;
  std::unordered_set<std::uint64_t> pinned;
  if (is_host(device)) {
    for (const MemoryRow& event : events) {
      if (event.device.type == STRATA_DEVICE_CUDA_HOST) pinned.insert(event.address);
    }
  }
  const bool looks_at_pinned = device.type == STRATA_DEVICE_CUDA_HOST;
  const auto is_elsewhere = [&](const auto& row) {
    if (!is_host(device) || !is_host(row.device)) return row.device != device;
    return pinned.contains(row.address) != looks_at_pinned;
  };
  std::erase_if(run.tensors, is_elsewhere);
  std::erase_if(run.saved, is_elsewhere);
}

}  // namespace strata::analysis
