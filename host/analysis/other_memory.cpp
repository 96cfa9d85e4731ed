#include "host/analysis/other_memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_map>

#include "strata/ext/memory.h"

namespace strata::analysis {
namespace {

struct Account {
  std::unordered_map<std::uint64_t, std::uint64_t> alive;  // bytes by address
  std::uint64_t allocated_bytes = 0, peak_bytes = 0, blocks = 0;

  void add(const MemoryRow& event) {
    if (event.action == STRATA_MEMORY_ALLOCATE) {
      alive[event.address] = event.bytes;
      allocated_bytes += event.bytes;
      peak_bytes = std::max(peak_bytes, allocated_bytes);
      ++blocks;
    } else if (event.action == STRATA_MEMORY_FREE) {
      const auto block = alive.find(event.address);
      if (block == alive.end()) return;  // older than the run
      allocated_bytes -= block->second;
      alive.erase(block);
    }
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

std::vector<OtherMemory> other_memory(const std::vector<MemoryRow>& events, const Device& device) {
  std::map<Device, Account> accounts;
  for (const MemoryRow& event : events) {
    if (event.device != device) accounts[event.device].add(event);
  }
  std::vector<OtherMemory> all;
  for (const auto& [other, account] : accounts) {
    if (account.blocks > 0) all.push_back({device_name(other), account.peak_bytes, account.blocks});
  }
  return all;
}

}  // namespace strata::analysis
