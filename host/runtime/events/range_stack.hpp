// SPDX-License-Identifier: Apache-2.0
// The open ranges of one kind on one thread, innermost last, with the token that each listener returned at
// the begin. Fixed in size: begins and ends do not allocate.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace strata {

// Recorder, plugins and sources of one session together.
inline constexpr std::uint32_t kMaximumListeners = 16;

// `Info` is the strata_*_info passed to begin and end.
template <typename Info>
struct OpenRange {
  Info info;
  std::uint32_t heard_by;  // bit i: listener i got the begin, and so gets the end
  std::array<std::uint64_t, kMaximumListeners> tokens;
};

// Has no initialisers: a zeroed page of memory is an empty stack, and is not touched until it is used.
template <typename Info, std::uint32_t Capacity>
struct RangeStack {
  std::uint32_t depth;
  std::array<OpenRange<Info>, Capacity> ranges;

  // Null when the stack is full.
  OpenRange<Info>* push() noexcept { return depth == Capacity ? nullptr : &ranges[depth++]; }
  OpenRange<Info>* top() noexcept { return depth == 0 ? nullptr : &ranges[depth - 1]; }
  void pop() noexcept { --depth; }
  bool holds(std::uint64_t ordinal) const noexcept {
    for (std::uint32_t i = depth; i > 0; --i) {
      if (ranges[i - 1].info.ordinal == ordinal) return true;
    }
    return false;
  }
  // The ordinal of the innermost range; 0 if none is open.
  auto innermost() const noexcept {
    return depth == 0 ? decltype(Info::ordinal){0} : ranges[depth - 1].info.ordinal;
  }
};

}  // namespace strata
