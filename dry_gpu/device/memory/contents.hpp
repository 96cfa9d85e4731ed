// SPDX-License-Identifier: Apache-2.0
// The known values in device memory: the bytes that the host put there, until something runs that may have
// written to them.
//
// A launch does not show which memory a kernel or a library writes to
// (docs/decisions/012-values-on-the-dry-gpu.md): each one, as counted by Counts, makes everything unknown. A
// call whose values are known must read its inputs before it is counted, and keep its results afterwards.
//
// [any thread]: every function takes the one lock, except when nothing is kept.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "dry_gpu/device/account/counts.hpp"
#include "dry_gpu/device/memory/address_space.hpp"

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

  // Copies known values to `target`, and zeros for the rest; returns the number of unknown bytes.
  std::uint64_t read(Address address, std::span<std::byte> target) const;
  bool is_known(Address address, std::uint64_t bytes) const;

 private:
  // Host bytes, shared by all copies of them; or one value.
  struct Piece {
    Address end;
    std::shared_ptr<const std::vector<std::byte>> bytes;
    std::uint64_t offset;
    std::byte value;
  };
  using Pieces = std::map<Address, Piece>;  // by begin; they do not overlap

  std::uint64_t work() const { return counts_.launches.total() + counts_.library_calls.total(); }
  void drop_written();
  void drop_all();
  void cut(Address address);
  void erase(Address begin, Address end);
  void enter(Address begin, Piece piece);

  // Calls `visit(begin, end, piece, offset in the piece)` for each known part of the range.
  template <typename Visit>
  void visit_known(Address address, std::uint64_t bytes, Visit&& visit) const;

  const Counts& counts_;
  std::atomic<std::uint64_t> most_bytes_;
  std::atomic<bool> is_empty_ = true;
  mutable std::mutex mutex_;
  Pieces pieces_;
  std::uint64_t kept_bytes_ = 0;  // host bytes since everything became unknown
  std::uint64_t work_ = 0;        // the count of work when the pieces were known
};

}  // namespace strata::dry_gpu
