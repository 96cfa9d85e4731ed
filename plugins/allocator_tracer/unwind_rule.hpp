// SPDX-License-Identifier: Apache-2.0
// How to get from a frame to its caller's on x86-64: read once per return address from the unwind table
// (.eh_frame) that the library has for exceptions.
#pragma once

#include <cstdint>
#include <optional>

namespace strata::allocator_tracer {

// The registers used by the rules, in a function that waits for a call to return.
struct FrameRegisters {
  std::uintptr_t address = 0;  // where it continues
  std::uintptr_t rsp = 0, rbp = 0;
};

// Relative to the canonical frame address (CFA): the value of rsp before the function was called. The return
// address is just below.
struct UnwindRule {
  enum class Cfa : std::uint8_t {
    kRsp,
    kRbp,
    kAtRbp,
    kOutermost
  };                                                        // register + offset, or the value stored there
  enum class Rbp : std::uint8_t { kSame, kAtCfa, kAtRbp };  // unchanged, or saved at CFA or rbp + offset

  Cfa cfa = Cfa::kOutermost;
  Rbp rbp = Rbp::kSame;
  std::int32_t cfa_offset = 0, rbp_offset = 0;

  bool operator==(const UnwindRule&) const = default;
};

// The most common frame layouts of compilers. Empty if there is no table for the address, which ends a stack
// like an outermost frame; or, with `is_unknown`, if the table has another layout, which the C++ runtime's
// own unwinder understands.
struct FoundRule {
  std::optional<UnwindRule> rule;
  bool is_unknown = false;
};

// [any] [alloc-lock] Does not allocate, and takes no lock unless the program registered its own tables.
FoundRule find_unwind_rule(std::uintptr_t return_address) noexcept;

}  // namespace strata::allocator_tracer
