// SPDX-License-Identifier: Apache-2.0
// The known values in device memory: the bytes that the host put there, until something runs that may have
// written to them.
//
// A launch does not show how much memory a kernel or a library writes to
// (docs/decisions/012-values-on-the-dry-gpu.md): each one, as counted by Counts, makes everything unknown
// that does not lie in a small block. Small blocks are tensors of a few numbers, whose bounds PyTorch's
// allocator reports. Their values last:
// - through a kernel that was followed (`follow`), unless it was given an address in their block;
// - through a library's call, if they have at most 8 bytes, because libraries write matrices, or if the call
//   was followed (`follow_calls`).
// A call whose values are known must read its inputs before it is counted, and keep its results afterwards.
//
// [any thread]: every function takes the one lock, except when nothing is kept.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <span>

#include "dry_gpu/device/account/counts.hpp"
#include "dry_gpu/device/memory/address_space.hpp"
#include "dry_gpu/device/memory/computation.hpp"
#include "dry_gpu/device/memory/pieces.hpp"

namespace strata::dry_gpu {

class Contents {
 public:
  // Keeps the bytes of host copies of up to `most_bytes`; 0: keeps nothing.
  Contents(const Counts& counts, std::uint64_t most_bytes) : counts_(counts), most_bytes_(most_bytes) {}
  Contents(const Contents&) = delete;
  Contents& operator=(const Contents&) = delete;

  // The memory now has these bytes. If there are more than the limit, they become unknown.
  void keep(Address address, std::span<const std::byte> bytes);
  // `bytes` bytes of one value, without a limit.
  void fill(Address address, std::uint64_t bytes, std::byte value);
  // Copies known and unknown values from source to target. They may overlap.
  void copy(Address target, Address source, std::uint64_t bytes);

  void forget(Address address, std::uint64_t bytes);
  void forget_all();
  // Keeps nothing from now on: for memory with more than one address.
  void keep_nothing();

  // PyTorch's allocator gave this block to the program, or took it back. Large blocks are ignored.
  void add_block(Address address, std::uint64_t bytes);
  void remove_block(Address address, std::uint64_t bytes);

  // Whether values would last through a kernel: only then does following one matter, except a fill.
  bool has_lasting() const { return has_lasting_.load(std::memory_order_relaxed); }
  // A kernel with this effect is about to be counted.
  void follow(const KernelEffect& effect);
  // So many calls of libraries are about to be counted that write to no small block, except where the caller
  // keeps or forgets their results.
  void follow_calls(std::uint64_t calls);
  // The block around the address becomes unknown.
  void forget_block(Address address);

  // Copies known values to `target`, and zeros for the rest; returns the number of unknown bytes.
  std::uint64_t read(Address address, std::span<std::byte> target);
  bool is_known(Address address, std::uint64_t bytes);

 private:
  void drop_written();
  void drop_all();
  void note_size();
  void erase(Address begin, Address end);
  void enter(Address begin, Pieces::Piece piece);
  std::uint64_t read_known(Address address, std::span<std::byte> target) const;
  // The small block around the address, if it has a piece of more bytes.
  void erase_block(Address address, std::uint64_t longer_than);
  // The small block that contains the address; the end: there is none.
  std::map<Address, Address>::const_iterator block_of(Address address) const;

  const Counts& counts_;
  std::atomic<std::uint64_t> most_bytes_;
  std::atomic<bool> is_empty_ = true, has_lasting_ = false;
  std::mutex mutex_;
  Pieces passing_;                     // until the next work
  Pieces lasting_;                     // in small blocks
  std::map<Address, Address> blocks_;  // small ones: begin and end
  std::uint64_t kept_bytes_ = 0;       // host bytes in `passing_` since it was empty
  // When the pieces were known: the counts, and how many of the kernels since then were followed.
  std::uint64_t launches_ = 0, library_calls_ = 0, followed_ = 0, followed_calls_ = 0;
};

}  // namespace strata::dry_gpu
