// SPDX-License-Identifier: Apache-2.0
// Host memory that devices may access: allocated for them, or registered by the program that owns it.
//
// [any thread]: every function takes its one lock.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>

#include "dry_gpu/device/memory/address_space.hpp"

namespace strata::dry_gpu {

class HostMemory {
 public:
  struct Block {
    Address address;
    std::uint64_t bytes;
    int device;  // the current device at its creation
    unsigned flags;
    bool registered;  // the program's own memory
    bool managed;     // one address for host and devices
  };

  HostMemory() = default;
  HostMemory(const HostMemory&) = delete;
  HostMemory& operator=(const HostMemory&) = delete;

  // Null if the host has no memory left.
  void* allocate(std::uint64_t bytes, int device, unsigned flags, bool managed);
  // False if no allocation made here begins at the address.
  bool free(Address address);

  enum class Registration { kDone, kTaken, kInvalid };
  Registration add(Address address, std::uint64_t bytes, int device, unsigned flags);
  bool remove(Address address);

  std::optional<Block> find(Address address) const;
  std::uint64_t bytes() const;

 private:
  mutable std::mutex mutex_;
  std::map<Address, Block> blocks_;
  std::uint64_t bytes_ = 0;
};

}  // namespace strata::dry_gpu
