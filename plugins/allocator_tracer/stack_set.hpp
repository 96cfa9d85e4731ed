// SPDX-License-Identifier: Apache-2.0
// The stacks that were written already, by their 64-bit hashes. Threads share it without a lock.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace strata::allocator_tracer {

// What tells stacks apart, and names them in the store; never 0. Two of a hundred thousand stacks share one
// with a chance below 1 in 10^9.
std::uint64_t hash_of(std::span<const std::uintptr_t> addresses);

class StackSet {
 public:
  enum class Found { kNew, kKnown, kFull };

  // Takes 8 bytes for each of `places`, a power of two.
  explicit StackSet(std::size_t places = std::size_t{1} << 18);

  // [any] [alloc-lock] Of all threads that bring a hash one is told kNew: it writes the stack. kFull: there
  // is no room for another one near its place.
  Found insert(std::uint64_t hash) noexcept;
  // [any] [alloc-lock] For the one that was told kNew and could not write: the next one that brings it is
  // told kNew again.
  void forget(std::uint64_t hash) noexcept;

 private:
  static constexpr std::uint64_t kEmpty = 0;
  static constexpr std::uint64_t kForgotten = 1;  // nothing, in a place that searches pass over
  static constexpr std::size_t kSearched = 128;

  std::unique_ptr<std::atomic<std::uint64_t>[]> places_;
  std::size_t mask_;
};

}  // namespace strata::allocator_tracer
