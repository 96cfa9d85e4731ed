// SPDX-License-Identifier: Apache-2.0
// The calling thread's stack, as return addresses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "plugins/allocator_tracer/unwind_rule_cache.hpp"

namespace strata::allocator_tracer {

inline constexpr std::size_t kMostFrames = 256;

class Unwinder {
 public:
  // [loop-thread] Does what the C++ runtime's unwinder does at its first use, which may allocate and lock, so
  // that `take` need not. Holds 1 MiB.
  Unwinder();
  Unwinder(const Unwinder&) = delete;
  Unwinder& operator=(const Unwinder&) = delete;

  // [any] [alloc-lock] Fills `addresses` from the caller outwards, as many as fit, and returns their number.
  // Stops at a frame without an unwind table.
  std::size_t take(std::span<std::uintptr_t> addresses) noexcept;

 private:
  UnwindRuleCache rules_;
};

// The same with the C++ runtime's own unwinder, which handles every kind of frame but reads the tables each
// time.
std::size_t unwind_with_libgcc(std::span<std::uintptr_t> addresses) noexcept;

}  // namespace strata::allocator_tracer
