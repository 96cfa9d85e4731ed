// SPDX-License-Identifier: Apache-2.0
// Memory that programs map into ranges which they reserved (cuMemCreate, cuMemAddressReserve, cuMemMap): what
// expandable segments are made of.
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
};

class VirtualMemory {
 public:
  using Handle = std::uint64_t;

  enum class Outcome { kDone, kInvalid, kAddressesTaken };

  // What to do with pages that nothing refers to any more.
  class PageOwner {
   public:
    virtual void freed(int device, std::uint64_t bytes) = 0;

   protected:
    ~PageOwner() = default;
  };

  VirtualMemory(const AddressSpace& addresses, PageOwner& owner);

  // A handle for pages that the caller has taken from the device.
  Handle create(int device, std::uint64_t bytes);
  Outcome release(Handle handle);

  // `wanted` is a hint, 0 for none. Whole pages.
  std::optional<Address> reserve(std::uint64_t bytes, Address wanted);
  Outcome unreserve(Address address, std::uint64_t bytes);

  // Maps all of the handle's pages; the range must be reserved and hold no mapping.
  Outcome map(Address address, std::uint64_t bytes, Handle handle);
  // Ends the mappings in the range, which must cover each of them whole.
  Outcome unmap(Address address, std::uint64_t bytes);

  struct Mapping {
    Address address;
    std::uint64_t bytes;
    int device;
    Handle handle;
  };
  std::optional<Mapping> find(Address address) const;
  // One more reference to the pages that are mapped at the address.
  std::optional<Handle> retain(Address address);
  std::optional<PhysicalMemory> memory(Handle handle) const;

 private:
  struct Mapped {
    std::uint64_t bytes;
    Handle handle;
  };

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
