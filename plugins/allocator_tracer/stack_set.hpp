// SPDX-License-Identifier: Apache-2.0
// The stacks already written, by their 64-bit hashes. Shared by threads without a lock.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace strata::allocator_tracer {

// Identifies a stack, also in the store; never 0. The probability that any two of a hundred thousand stacks
// have the same hash is below 1 in 10^9.
std::uint64_t hash_of(std::span<const std::uintptr_t> addresses);

class StackSet {
 public:
  enum class Found { kNew, kKnown, kFull };

  // Takes 8 bytes for each of `places`, which is a power of two.
  explicit StackSet(std::size_t places = std::size_t{1} << 18);

  // [any] [alloc-lock] Of all threads that insert a hash, one gets kNew and must write the stack. kFull:
  // there is no space near its place.
  Found insert(std::uint64_t hash) noexcept;
  // [any] [alloc-lock] For the thread that got kNew but could not write: the next thread to insert the hash
  // gets kNew again.
  void forget(std::uint64_t hash) noexcept;

 private:
  static constexpr std::uint64_t kEmpty = 0;
  static constexpr std::uint64_t kForgotten = 1;  // an empty place that searches skip
  static constexpr std::size_t kSearched = 128;

  std::unique_ptr<std::atomic<std::uint64_t>[]> places_;
  std::size_t mask_;
};

}  // namespace strata::allocator_tracer
