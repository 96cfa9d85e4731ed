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
  // [loop-thread] Does what the C++ runtime's unwinder does at its first use: that may take memory and locks,
  // and `take` then does not. Holds 1 MiB.
  Unwinder();
  Unwinder(const Unwinder&) = delete;
  Unwinder& operator=(const Unwinder&) = delete;

  // [any] [alloc-lock] Fills `addresses` from the caller outwards and returns how many there are, at most as
  // many as fit. It ends where a frame has no unwind table.
  std::size_t take(std::span<std::uintptr_t> addresses) noexcept;

 private:
  UnwindRuleCache rules_;
};

// The same by the C++ runtime's own unwinder, which knows every kind of frame and reads the tables each time.
std::size_t unwind_with_libgcc(std::span<std::uintptr_t> addresses) noexcept;

}  // namespace strata::allocator_tracer
