// SPDX-License-Identifier: Apache-2.0
// The memory of one device: addresses that nothing stands behind, and an exact account of what they would
// take.
//
// A device maps pages of 2 MiB. An allocation of more than half a page has its pages to itself; smaller ones
// share pages with others of their size, a power of two from 512 bytes. Pages get their addresses as a driver
// gives them (address_chunks.hpp): one sequence of calls has one sequence of addresses.
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
  std::uint64_t bytes;  // as rounded
};

struct MemoryUse {
  std::uint64_t total_bytes, used_bytes, peak_bytes;
};

class DeviceMemory {
 public:
  // The `span_bytes` addresses from `base`, which is a multiple of a page, and `total_bytes` of memory.
  DeviceMemory(Address base, std::uint64_t span_bytes, std::uint64_t total_bytes);

  // Nothing: the device has no room left, or its span none in one piece.
  std::optional<Address> allocate(std::uint64_t bytes);
  // False: no allocation begins here.
  bool free(Address address);
  // The allocation that the address lies in.
  std::optional<Allocation> find(Address address) const;

  // Memory without addresses of ours: a library's buffers, pages that are mapped later. False: no room.
  bool take(std::uint64_t bytes);
  void give_back(std::uint64_t bytes);

  // Memory that the driver and libraries take by themselves, of whose addresses `free_addresses` bytes are
  // left for allocations. False: no room.
  bool take_part(std::uint64_t bytes, std::uint64_t free_addresses);
  void give_back_part(std::uint64_t bytes);

  // How often the functions above were called, but for those of parts.
  std::uint64_t calls() const;
  // Takes a part as soon as there were so many calls, if there is room then. Before the first call.
  void take_part_after(std::uint64_t calls, std::uint64_t bytes, std::uint64_t free_addresses);

  MemoryUse use() const;

 private:
  // A page that is cut into pieces of one size.
  struct SharedPage {
    std::uint64_t piece_bytes;
    std::vector<Address> free;
  };

  // Memory that is taken after so many calls.
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
  std::unordered_map<std::uint64_t, std::map<Address, SharedPage*>> with_room_;  // shared pages, by piece
};

}  // namespace strata::dry_gpu
