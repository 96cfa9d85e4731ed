// SPDX-License-Identifier: Apache-2.0
#include "plugins/nvtx_markers/device_memory.hpp"

#include <algorithm>

namespace strata::nvtx_markers {
namespace {

constexpr std::uint64_t kCudaRounding = 512;

std::uint64_t handed_out(const strata_memory_event& event) {
  return STRATA_HAS_FIELD(strata_memory_event, &event, device_handed_out_bytes)
             ? event.device_handed_out_bytes
             : 0;
}

}  // namespace

bool DeviceMemory::note(const strata_memory_event& event) {
  Device& device = devices_[{event.device.type, event.device.index}];
  const DeviceBytes before = device.bytes;
  settle(device, handed_out(event));
  switch (event.action) {
    case STRATA_MEMORY_ALLOCATE:
      allocate(device, event);
      break;
    case STRATA_MEMORY_FREE:
      free(device, event.address);
      break;
    case STRATA_MEMORY_SEGMENT_ALLOCATE:
      device.bytes.reserved += event.bytes;
      break;
    case STRATA_MEMORY_SEGMENT_FREE:
      device.bytes.reserved -= std::min(event.bytes, device.bytes.reserved);
      break;
    case STRATA_MEMORY_RESERVED:
      device.bytes.reserved = event.bytes;
      break;
    default:
      break;
  }
  return before.allocated != device.bytes.allocated || before.reserved != device.bytes.reserved;
}

void DeviceMemory::settle(Device& device, std::uint64_t handed_out) {
  if (device.unsettled == 0) return;
  const auto block = device.blocks.find(device.unsettled);
  device.unsettled = 0;
  // A program may have reset the total in between.
  if (block == device.blocks.end() || handed_out <= device.handed_out_before) return;
  device.bytes.allocated -= block->second;
  block->second = handed_out - device.handed_out_before;
  device.bytes.allocated += block->second;
}

void DeviceMemory::allocate(Device& device, const strata_memory_event& event) {
  free(device, event.address);  // a block whose free was not reported
  std::uint64_t bytes = event.bytes;
  if (event.device.type == STRATA_DEVICE_CUDA) {
    bytes = (bytes + kCudaRounding - 1) / kCudaRounding * kCudaRounding;
    device.unsettled = event.address;
    device.handed_out_before = handed_out(event);
  }
  device.blocks[event.address] = bytes;
  device.bytes.allocated += bytes;
}

void DeviceMemory::free(Device& device, std::uint64_t address) {
  const auto block = device.blocks.find(address);
  if (block == device.blocks.end()) return;  // older than the run
  device.bytes.allocated -= block->second;
  device.blocks.erase(block);
}

DeviceBytes DeviceMemory::of(const strata_device& device) const {
  const auto found = devices_.find({device.type, device.index});
  return found == devices_.end() ? DeviceBytes{} : found->second.bytes;
}

DeviceBytes DeviceMemory::of_training() const {
  const auto first_cuda = devices_.lower_bound({STRATA_DEVICE_CUDA, 0});
  if (first_cuda != devices_.end() && first_cuda->first.first == STRATA_DEVICE_CUDA)
    return first_cuda->second.bytes;
  return of({STRATA_DEVICE_CPU, 0});
}

}  // namespace strata::nvtx_markers
