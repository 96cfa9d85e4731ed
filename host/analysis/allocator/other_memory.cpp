// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/allocator/other_memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_map>

#include "host/analysis/recording/structure_rows.hpp"
#include "strata/ext/memory.h"
#include "strata/ext/tensor.h"

namespace strata::analysis {
namespace {

struct LiveBlock {
  std::uint64_t bytes = 0;
  bool is_offloaded = false;
};

struct Account {
  std::unordered_map<std::uint64_t, LiveBlock> alive;  // by address
  std::uint64_t allocated_bytes = 0, peak_bytes = 0, peak_sequence = 0, blocks = 0;
  std::uint64_t reserved_bytes = 0;
  std::optional<std::uint64_t> peak_reserved_bytes;
  std::uint64_t offloaded_bytes = 0, peak_offloaded_bytes = 0;

  void add(const MemoryRow& event) {
    if (event.action == STRATA_MEMORY_ALLOCATE) {
      alive[event.address] = {event.bytes, false};
      allocated_bytes += event.bytes;
      if (allocated_bytes >= peak_bytes) {
        peak_bytes = allocated_bytes;
        peak_sequence = event.sequence;
      }
      ++blocks;
    } else if (event.action == STRATA_MEMORY_FREE) {
      const auto block = alive.find(event.address);
      if (block == alive.end()) return;  // older than the run
      allocated_bytes -= block->second.bytes;
      if (block->second.is_offloaded) offloaded_bytes -= block->second.bytes;
      alive.erase(block);
    } else {
      reserve(event);
    }
  }

  void reserve(const MemoryRow& event) {
    switch (event.action) {
      case STRATA_MEMORY_RESERVED:
        reserved_bytes = event.bytes;
        break;
      case STRATA_MEMORY_SEGMENT_ALLOCATE:
        reserved_bytes += event.bytes;
        break;
      case STRATA_MEMORY_SEGMENT_FREE:
        reserved_bytes -= std::min(reserved_bytes, event.bytes);
        break;
      default:
        return;
    }
    peak_reserved_bytes = std::max(peak_reserved_bytes.value_or(0), reserved_bytes);
  }

  void register_offloaded(std::uint64_t address) {
    const auto block = alive.find(address);
    if (block == alive.end() || block->second.is_offloaded) return;
    block->second.is_offloaded = true;
    offloaded_bytes += block->second.bytes;
    peak_offloaded_bytes = std::max(peak_offloaded_bytes, offloaded_bytes);
  }
};

}  // namespace

std::string device_name(const Device& device) {
  switch (device.type) {
    case STRATA_DEVICE_CUDA:
      return fmt::format("cuda:{}", device.index);
    case STRATA_DEVICE_CUDA_HOST:
      return "pinned";
    default:
      return "cpu";
  }
}

std::vector<OtherMemory> other_memory(const std::vector<MemoryRow>& events,
                                      const std::vector<TensorRow>& tensors, const Device& device) {
  std::map<Device, Account> accounts;
  auto tensor = tensors.begin();
  const auto register_until = [&](std::uint64_t sequence) {
    for (; tensor != tensors.end() && tensor->sequence < sequence; ++tensor) {
      if (tensor->role == STRATA_TENSOR_OFFLOADED && tensor->device != device)
        accounts[tensor->device].register_offloaded(tensor->address);
    }
  };
  for (const MemoryRow& event : events) {
    if (event.device == device) continue;
    register_until(event.sequence);
    accounts[event.device].add(event);
  }
  register_until(kNever);
  std::vector<OtherMemory> all;
  for (const auto& [other, account] : accounts) {
    if (account.blocks > 0)
      all.push_back({.device = device_name(other),
                     .peak_allocated_bytes = account.peak_bytes,
                     .peak_sequence = account.peak_sequence,
                     .peak_reserved_bytes = account.peak_reserved_bytes,
                     .blocks = account.blocks,
                     .peak_offloaded_bytes = account.peak_offloaded_bytes});
  }
  return all;
}

}  // namespace strata::analysis
