// SPDX-License-Identifier: Apache-2.0
// The addresses of a device's allocations. NVIDIA does not document them: these rules reproduce every address
// that an H200's driver returned (tests/data/card-h200/malloc.json,
// docs/decisions/031-addresses-in-chunks.md).
//
// Addresses are reserved in chunks of whole 32 MiB, at the upper end of the highest gap between chunks that
// is large enough. The first chunk is at the upper end of the span, so they grow downwards. An allocation
// goes into the latest chunk with a large enough hole, there into the smallest such hole, and among equal
// ones into the lowest. An empty chunk is given back.
//
// Not synchronised: guarded by its owner's lock.
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
  // Uses the `span_bytes` addresses from `base`. Both are multiples of every requested alignment.
  AddressChunks(Address base, std::uint64_t span_bytes);

  // Empty if no hole and no gap is large enough. `bytes` is greater than 0.
  std::optional<Address> allocate(std::uint64_t bytes);
  // Frees an address from `allocate`; `bytes` must be the same.
  void free(Address address, std::uint64_t bytes);

  // Adds a chunk that is never given back, with `free_bytes` of it available for allocations: the addresses
  // of memory that the driver takes for itself. It becomes the latest one. No effect if there is no space.
  void add_lasting(std::uint64_t free_bytes);

 private:
  struct Chunk {
    Address begin;
    std::uint64_t bytes;
    bool lasts = false;
    std::map<Address, std::uint64_t> holes = {};  // bytes, by address
    std::set<std::pair<std::uint64_t, Address>> by_size = {};
  };
  using Number = std::uint64_t;  // of a chunk: the latest has the largest, and none is 0

  static void add_hole(Chunk& chunk, Address address, std::uint64_t bytes);
  static void remove_hole(Chunk& chunk, Address address);
  static std::uint64_t largest_hole(const Chunk& chunk);

  Number reserve(std::uint64_t bytes);
  std::optional<Address> take_from_gap(std::uint64_t bytes, std::uint64_t wanted);
  Number add_chunk(Address begin, std::uint64_t bytes, bool lasts);
  void give_back(std::map<Address, Number>::iterator place);
  Number latest_with(std::uint64_t bytes) const;
  // Calls `change(chunk)`, then updates the index by largest hole.
  template <typename Change>
  void change(Number number, Change&& change);

  std::map<Address, std::uint64_t> gaps_;  // bytes without a chunk, by address
  std::map<Address, Number> numbers_;      // of chunks, by address
  std::unordered_map<Number, Chunk> chunks_;
  std::array<std::set<Number>, 65> with_hole_;  // chunks, by the bit width of their largest hole
  Number last_number_ = 0;
};

}  // namespace strata::dry_gpu
