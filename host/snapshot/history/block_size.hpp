// SPDX-License-Identifier: Apache-2.0
// The size of a block of torch's caching allocator. A trace has the requested size alone; the allocator
// rounds it, and hands out the whole free piece if the rest would be too small
// (c10/cuda/CUDACachingAllocator.cpp: round_size and should_split). Where that piece ends is known from the
// blocks behind it and the segment.
#pragma once

#include <cstdint>

#include "host/snapshot/history/held_memory.hpp"
#include "host/snapshot/model/snapshot.hpp"

namespace strata::snapshot {

class BlockSize {
 public:
  // `settings` must outlive this.
  explicit BlockSize(const AllocatorSettings& settings) : settings_(settings) {}

  std::uint64_t rounded(std::uint64_t requested_bytes) const;
  // Of the block at `address`, which may itself be among `blocks`.
  std::uint64_t whole(const Blocks& blocks, const Segments& segments, std::uint64_t address,
                      std::uint64_t requested_bytes) const;

 private:
  std::uint64_t divisions_for(std::uint64_t bytes) const;

  const AllocatorSettings& settings_;
};

}  // namespace strata::snapshot
