// SPDX-License-Identifier: Apache-2.0
// Which addresses a device's allocations get. NVIDIA documents nothing of it: these rules give every address
// that an H200's driver gave (tests/data/card-h200/malloc.json, docs/decisions/031-addresses-in-chunks.md).
//
// Addresses are reserved in chunks of whole 32 MiB, at the upper end of the highest gap between chunks that
// is larger; the first one at the upper end of the span, so that they go down. An allocation goes into the
// latest chunk that has a large enough hole, there into the smallest such hole, and of equal ones into the
// lowest. A chunk in which nothing is left is given back.
//
// Not synchronised: its owner's lock.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

#include "dry_gpu/device/memory/address_space.hpp"

namespace strata::dry_gpu {

inline constexpr std::uint64_t kChunkBytes = std::uint64_t{32} << 20;

class AddressChunks {
 public:
  // The `span_bytes` addresses from `base`, both multiples of whatever is asked for.
  AddressChunks(Address base, std::uint64_t span_bytes);

  // Nothing: no hole and no gap is large enough. `bytes` is more than 0.
  std::optional<Address> allocate(std::uint64_t bytes);
  // Of `allocate`, with the same `bytes`.
  void free(Address address, std::uint64_t bytes);

  // A chunk that is never given back, with `free_bytes` of it left for allocations: the addresses of memory
  // that the driver takes for itself. It becomes the latest one. Where there is no room, nothing happens.
  void add_lasting(std::uint64_t free_bytes);

 private:
  struct Chunk {
    Address begin;
    std::uint64_t bytes;
    bool lasts = false;
    std::map<Address, std::uint64_t> holes = {};  // bytes, by address
    std::set<std::pair<std::uint64_t, Address>> by_size = {};
  };
  using Number = std::uint64_t;  // of a chunk: the latest has the largest, and none has 0

  static void add_hole(Chunk& chunk, Address address, std::uint64_t bytes);
  static void remove_hole(Chunk& chunk, Address address);
  static std::uint64_t largest_hole(const Chunk& chunk);

  Number reserve(std::uint64_t bytes);
  std::optional<Address> take_from_gap(std::uint64_t bytes, std::uint64_t wanted);
  Number add_chunk(Address begin, std::uint64_t bytes, bool lasts);
  void give_back(std::map<Address, Number>::iterator place);
  Number latest_with(std::uint64_t bytes) const;
  // Calls `change(chunk)`, and keeps where the chunk is found by its largest hole.
  template <typename Change>
  void change(Number number, Change&& change);

  std::map<Address, std::uint64_t> gaps_;  // bytes that no chunk has, by address
  std::map<Address, Number> numbers_;      // of chunks, by address
  std::unordered_map<Number, Chunk> chunks_;
  std::array<std::set<Number>, 65> with_hole_;  // chunks, by the bits of their largest hole's size
  Number last_number_ = 0;
};

}  // namespace strata::dry_gpu
