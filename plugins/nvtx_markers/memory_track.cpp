// SPDX-License-Identifier: Apache-2.0
#include "plugins/nvtx_markers/memory_track.hpp"

#include <string>

#include "plugins/nvtx_markers/colours.hpp"
#include "plugins/nvtx_markers/counters.hpp"

namespace strata::nvtx_markers {
namespace {

std::string device_name(const strata_device& device) {
  switch (device.type) {
    case STRATA_DEVICE_CUDA:
      return "cuda:" + std::to_string(device.index);
    case STRATA_DEVICE_CUDA_HOST:
      return "pinned";
    default:
      return "cpu";
  }
}

}  // namespace

MemoryTrack::MemoryTrack(Domain& domain, MemoryMarks wanted)
    : domain_(domain),
      wanted_(wanted),
      allocated_text_(domain.string("allocated bytes")),
      reserved_text_(domain.string("reserved bytes")) {}

void MemoryTrack::on_memory(const strata_memory_event& event) {
  const std::lock_guard lock(mutex_);
  if (memory_.note(event) && wanted_ == MemoryMarks::kCounters) sample(event.device);
}

void MemoryTrack::sample(const strata_device& device) {
  const auto [found, added] = counters_.try_emplace({device.type, device.index});
  Counters& counters = found->second;
  if (added) counters = register_counters(device);
  if (counters.allocated == 0) return;
  has_counters_ = true;
  const DeviceBytes bytes = memory_.of(device);
  sample_counter(domain_.handle(), counters.allocated, bytes.allocated);
  if (counters.reserved != 0) sample_counter(domain_.handle(), counters.reserved, bytes.reserved);
}

// On the CPU the memory held by the allocator is not reported.
MemoryTrack::Counters MemoryTrack::register_counters(const strata_device& device) const {
  const std::string name = device_name(device);
  Counters counters;
  counters.allocated =
      register_byte_counter(domain_.handle(), ("allocated " + name).c_str(), "handed out to the program");
  if (device.type != STRATA_DEVICE_CPU) {
    counters.reserved =
        register_byte_counter(domain_.handle(), ("reserved " + name).c_str(), "held by the allocator");
  }
  return counters;
}

DeviceBytes MemoryTrack::of_training() const {
  const std::lock_guard lock(mutex_);
  return memory_.of_training();
}

void MemoryTrack::mark() const {
  if (!listens()) return;
  DeviceBytes bytes;
  {
    const std::lock_guard lock(mutex_);
    if (has_counters_) return;
    bytes = memory_.of_training();
  }
  domain_.mark({allocated_text_, Category::kMemory, kMemoryColour, bytes.allocated});
  if (bytes.reserved != 0) domain_.mark({reserved_text_, Category::kMemory, kMemoryColour, bytes.reserved});
}

}  // namespace strata::nvtx_markers
