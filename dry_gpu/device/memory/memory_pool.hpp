// SPDX-License-Identifier: Apache-2.0
// The default memory pool of a device, for cudaMallocAsync: it has its own addresses, on pages that it takes
// from the device and keeps.
//
// A pool maps its pages to any of its addresses, so it never fails because of fragmentation: it reserves the
// maximum that was in use at once, in whole pages. How much more a real driver reserves in advance is not
// documented: this is the minimum. A real driver may give back memory above the release threshold at the next
// synchronisation; here, where work is done as soon as it is submitted, that happens at once.
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
  // Uses the `span_bytes` addresses from `base`, and pages of `device`, which must outlive the pool.
  MemoryPool(Address base, std::uint64_t span_bytes, DeviceMemory& device);

  // Empty if the device has no pages left.
  std::optional<Address> allocate(std::uint64_t bytes);
  // False if no allocation of this pool begins here.
  bool free(Address address);
  std::optional<Allocation> find(Address address) const { return addresses_.find(address); }

  // Gives back pages until only `kept_bytes` are left, or the memory in use.
  void trim(std::uint64_t kept_bytes);
  void set_release_threshold(std::uint64_t bytes);
  std::uint64_t release_threshold() const;

  PoolUse use() const;
  void reset_used_high();
  void reset_reserved_high();

 private:
  void trim_locked(std::uint64_t kept_bytes);

  mutable std::mutex mutex_;
  DeviceMemory addresses_;  // used only for addresses: its account is ignored
  std::unordered_map<Address, std::uint64_t> sizes_;
  DeviceMemory& device_;
  std::uint64_t threshold_ = 0;
  PoolUse use_{};
};

}  // namespace strata::dry_gpu
