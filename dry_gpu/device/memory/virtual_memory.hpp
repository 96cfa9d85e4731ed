// SPDX-License-Identifier: Apache-2.0
// Memory that programs map into address ranges that they reserved (cuMemCreate, cuMemAddressReserve,
// cuMemMap), as used for expandable segments.
//
// [any thread]: every function takes its one lock.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>

#include "dry_gpu/device/memory/address_space.hpp"

namespace strata::dry_gpu {

// Pages of one device. They live until their handle is released and nothing maps them.
struct PhysicalMemory {
  int device;
  std::uint64_t bytes;
  std::uint32_t references;
  std::uint32_t mappings = 0;
  bool is_imported = false;  // another process pays for them
};

class VirtualMemory {
 public:
  using Handle = std::uint64_t;

  enum class Outcome { kDone, kInvalid, kAddressesTaken };

  // Takes back pages that are no longer referred to.
  class PageOwner {
   public:
    virtual void freed(int device, std::uint64_t bytes) = 0;

   protected:
    ~PageOwner() = default;
  };

  VirtualMemory(const AddressSpace& addresses, PageOwner& owner);

  // Returns a handle for pages that the caller has taken from the device.
  Handle create(int device, std::uint64_t bytes);
  // Returns a handle for pages of another process: the device has not given them to this one.
  Handle import(int device, std::uint64_t bytes);
  Outcome release(Handle handle);

  // In whole pages. `wanted` is a hint; 0: none.
  std::optional<Address> reserve(std::uint64_t bytes, Address wanted);
  Outcome unreserve(Address address, std::uint64_t bytes);

  // Maps all pages of the handle. The range must be reserved and contain no mapping.
  Outcome map(Address address, std::uint64_t bytes, Handle handle);
  // Removes the mappings in the range, which must contain each of them completely.
  Outcome unmap(Address address, std::uint64_t bytes);

  struct Mapping {
    Address address;
    std::uint64_t bytes;
    int device;
    Handle handle;
  };
  std::optional<Mapping> find(Address address) const;
  // Adds a reference to the pages mapped at the address.
  std::optional<Handle> retain(Address address);
  std::optional<PhysicalMemory> memory(Handle handle) const;

 private:
  struct Mapped {
    std::uint64_t bytes;
    Handle handle;
  };

  Handle add(const PhysicalMemory& memory);
  std::optional<Mapping> find_locked(Address address) const;
  bool is_reserved(Address address, std::uint64_t bytes) const;
  bool overlaps_mapping(Address address, std::uint64_t bytes) const;
  void drop_reference(Handle handle);

  mutable std::mutex mutex_;
  const Address begin_, end_;
  PageOwner& owner_;
  Handle last_handle_ = 0;
  std::map<Handle, PhysicalMemory> memory_;
  std::map<Address, std::uint64_t> reserved_;  // bytes, by address
  std::map<Address, Mapped> mapped_;
};

}  // namespace strata::dry_gpu
