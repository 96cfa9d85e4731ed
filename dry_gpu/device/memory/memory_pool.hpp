// SPDX-License-Identifier: Apache-2.0
// What a device's default memory pool gives to cudaMallocAsync: addresses of its own, on pages that the pool
// takes from the device and keeps.
//
// A pool maps what it has behind whatever addresses it gives out, so that it never fails for fragments: what
// is reserved is the most that was in use at once, in whole pages. How much more a real driver reserves ahead
// is not documented: this is the least. When it may give back what is above its release threshold is at the
// next synchronisation; here, where work is done as soon as it is submitted, at once.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <unordered_map>

#include "dry_gpu/device/memory/device_memory.hpp"

namespace strata::dry_gpu {

struct PoolUse {
  std::uint64_t used_bytes, used_high, reserved_bytes, reserved_high;
};

class MemoryPool {
 public:
  // The `span_bytes` addresses from `base`, and pages of `device`, which must outlive the pool.
  MemoryPool(Address base, std::uint64_t span_bytes, DeviceMemory& device);

  // Nothing: the device has no pages left.
  std::optional<Address> allocate(std::uint64_t bytes);
  // False: no allocation of this pool begins here.
  bool free(Address address);
  std::optional<Allocation> find(Address address) const { return addresses_.find(address); }

  // Gives pages back until that much is kept, or what is in use.
  void trim(std::uint64_t kept_bytes);
  void set_release_threshold(std::uint64_t bytes);
  std::uint64_t release_threshold() const;

  PoolUse use() const;
  void reset_used_high();
  void reset_reserved_high();

 private:
  void trim_locked(std::uint64_t kept_bytes);

  mutable std::mutex mutex_;
  DeviceMemory addresses_;  // gives addresses alone: its account is not looked at
  std::unordered_map<Address, std::uint64_t> sizes_;
  DeviceMemory& device_;
  std::uint64_t threshold_ = 0;
  PoolUse use_{};
};

}  // namespace strata::dry_gpu
