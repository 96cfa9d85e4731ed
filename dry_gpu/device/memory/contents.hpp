// SPDX-License-Identifier: Apache-2.0
// What is known of the values in device memory: the bytes that the host put there, until something runs that
// may have written to them.
//
// Which memory a kernel or a library writes to cannot be told from its launch
// (docs/decisions/012-values-on-the-dry-gpu.md): each one, as Counts counts it, makes everything unknown.
// Whoever counts a call whose values it does know reads what it needs before, and keeps its results after.
//
// [any thread]: every function takes the one lock, but for those that find nothing kept.
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
  // Keeps bytes of the host from copies of at most `most_bytes`; 0: nothing at all.
  Contents(const Counts& counts, std::uint64_t most_bytes) : counts_(counts), most_bytes_(most_bytes) {}
  Contents(const Contents&) = delete;
  Contents& operator=(const Contents&) = delete;

  // These bytes are there now; more of them than are kept are unknown from now on.
  void keep(Address address, std::span<const std::byte> bytes);
  // `bytes` of one value, however many.
  void fill(Address address, std::uint64_t bytes, std::byte value);
  // What is known of the source is known of the target now, and what is unknown is not. They may overlap.
  void copy(Address target, Address source, std::uint64_t bytes);

  void forget(Address address, std::uint64_t bytes);
  void forget_all();
  // From now on nothing is kept: for memory that has more than one address.
  void keep_nothing();

  // Copies what is known to `target`, and zeros for the rest; returns how many bytes are unknown.
  std::uint64_t read(Address address, std::span<std::byte> target) const;
  bool is_known(Address address, std::uint64_t bytes) const;

 private:
  // Bytes of the host, shared by all that were copied from them; or, without, one value.
  struct Piece {
    Address end;
    std::shared_ptr<const std::vector<std::byte>> bytes;
    std::uint64_t offset;
    std::byte value;
  };
  using Pieces = std::map<Address, Piece>;  // by where they begin; none overlap

  std::uint64_t work() const { return counts_.launches.total() + counts_.library_calls.total(); }
  void drop_written();
  void drop_all();
  void cut(Address address);
  void erase(Address begin, Address end);
  void enter(Address begin, Piece piece);

  // Calls `visit(begin, end, piece, offset in the piece)` for what is known of the range.
  template <typename Visit>
  void visit_known(Address address, std::uint64_t bytes, Visit&& visit) const;

  const Counts& counts_;
  std::atomic<std::uint64_t> most_bytes_;
  std::atomic<bool> is_empty_ = true;
  mutable std::mutex mutex_;
  Pieces pieces_;
  std::uint64_t kept_bytes_ = 0;  // of the host, since nothing was known
  std::uint64_t work_ = 0;        // that was counted when the pieces were known
};

}  // namespace strata::dry_gpu
