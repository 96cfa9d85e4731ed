// SPDX-License-Identifier: Apache-2.0
// The memory of one device: addresses without memory behind them, and an exact account of the memory that
// they would take.
//
// A device maps pages of 2 MiB. An allocation of more than half a page has its own pages; smaller ones share
// pages with others of the same size, a power of two from 512 bytes. Pages get their addresses as from a
// driver (address_chunks.hpp): the same sequence of calls always gives the same addresses.
//
// [any thread]: every function takes the device's own lock.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

#include "dry_gpu/device/memory/address_chunks.hpp"
#include "dry_gpu/device/memory/address_space.hpp"

namespace strata::dry_gpu {

inline constexpr std::uint64_t kPageBytes = std::uint64_t{2} << 20;
inline constexpr std::uint64_t kSmallestBytes = 512;

struct Allocation {
  Address address;
  std::uint64_t bytes;  // rounded
};

struct MemoryUse {
  std::uint64_t total_bytes, used_bytes, peak_bytes;
};

class DeviceMemory {
 public:
  // Uses the `span_bytes` addresses from `base`, which is a multiple of a page, and `total_bytes` of memory.
  DeviceMemory(Address base, std::uint64_t span_bytes, std::uint64_t total_bytes);

  // Empty if the device has no memory left, or its span no contiguous addresses.
  std::optional<Address> allocate(std::uint64_t bytes);
  // False if no allocation begins here.
  bool free(Address address);
  // The allocation that contains the address.
  std::optional<Allocation> find(Address address) const;

  // Memory without addresses here: a library's buffers, pages that are mapped later. False if there is no
  // space.
  bool take(std::uint64_t bytes);
  void give_back(std::uint64_t bytes);

  // Memory that the driver and libraries take by themselves; `free_addresses` bytes of its addresses remain
  // for allocations. False if there is no space.
  bool take_part(std::uint64_t bytes, std::uint64_t free_addresses);
  void give_back_part(std::uint64_t bytes);

  // The number of calls of the functions above, except those for parts.
  std::uint64_t calls() const;
  // Takes a part after this many calls, if there is space then. Call before the first of them.
  void take_part_after(std::uint64_t calls, std::uint64_t bytes, std::uint64_t free_addresses);

  MemoryUse use() const;

 private:
  // A page divided into pieces of one size.
  struct SharedPage {
    std::uint64_t piece_bytes;
    std::vector<Address> free;
  };

  // Memory that is taken after a number of calls.
  struct LaterPart {
    std::uint64_t bytes, free_addresses;
  };

  bool take_locked(std::uint64_t bytes);
  bool take_part_locked(std::uint64_t bytes, std::uint64_t free_addresses);
  void count_call();
  bool free_locked(Address address);
  std::optional<Address> allocate_locked(std::uint64_t bytes);
  std::optional<Address> allocate_pages(std::uint64_t bytes);
  std::optional<Address> allocate_piece(std::uint64_t bytes);
  void free_piece(Address page, Address piece);

  mutable std::mutex mutex_;
  const std::uint64_t span_bytes_;
  AddressChunks chunks_;
  MemoryUse use_;
  std::uint64_t calls_ = 0;
  std::multimap<std::uint64_t, LaterPart> later_parts_;  // by calls

  std::map<Address, std::uint64_t> live_;  // bytes, by address
  std::map<Address, SharedPage> shared_;
  std::unordered_map<std::uint64_t, std::map<Address, SharedPage*>>
      with_room_;  // shared pages, by piece size
};

}  // namespace strata::dry_gpu
