// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/allocator/deferred.hpp"

#include <algorithm>
#include <unordered_map>

#include "strata/ext/memory.h"

namespace strata::analysis {
namespace {

struct Asked {
  std::uint64_t bytes = 0, requested_bytes = 0;
};

class DeferralSweep {
 public:
  std::vector<DeferredPoint> points(const std::vector<MemoryRow>& events) && {
    for (const MemoryRow& event : events) {
      if (event.address == 0 || !changes(event)) continue;
      now_.sequence = event.sequence;
      now_.ns = event.ns;
      now_.address = event.address;
      points_.push_back(now_);
    }
    return std::move(points_);
  }

 private:
  using Blocks = std::unordered_map<std::uint64_t, Asked>;

  bool changes(const MemoryRow& event) {
    switch (event.action) {
      case STRATA_MEMORY_ALLOCATE:
        live_[event.address] = {event.bytes, event.bytes - event.rounding_bytes};
        return false;
      case STRATA_MEMORY_FREE:
        free(event.address);
        return false;
      case STRATA_MEMORY_FREE_DEFERRED:
        return defer(event.address);
      case STRATA_MEMORY_FREE_COMPLETED:
        return complete(event.address);
      default:
        return false;
    }
  }

  void free(std::uint64_t address) {
    const auto block = live_.find(address);
    if (block == live_.end()) return;
    freed_address_ = address;
    freed_ = block->second;
    live_.erase(block);
  }

  // Said right after the free.
  bool defer(std::uint64_t address) {
    if (address != freed_address_ || !deferred_.emplace(address, freed_).second) return false;
    now_.bytes += freed_.bytes;
    now_.change_bytes = static_cast<std::int64_t>(freed_.bytes);
    now_.requested_bytes += freed_.requested_bytes;
    return true;
  }

  bool complete(std::uint64_t address) {
    const auto block = deferred_.find(address);
    if (block == deferred_.end()) return false;
    now_.bytes -= block->second.bytes;
    now_.change_bytes = -static_cast<std::int64_t>(block->second.bytes);
    now_.requested_bytes -= block->second.requested_bytes;
    deferred_.erase(block);
    return true;
  }

  DeferredPoint now_;
  std::vector<DeferredPoint> points_;
  Blocks live_, deferred_;
  std::uint64_t freed_address_ = 0;
  Asked freed_;
};

}  // namespace

std::vector<DeferredPoint> deferred_points(const std::vector<MemoryRow>& events) {
  const auto waits = [](const MemoryRow& event) { return event.action == STRATA_MEMORY_FREE_DEFERRED; };
  return std::ranges::any_of(events, waits) ? DeferralSweep().points(events) : std::vector<DeferredPoint>();
}

}  // namespace strata::analysis
