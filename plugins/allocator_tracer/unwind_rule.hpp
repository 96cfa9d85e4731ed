// SPDX-License-Identifier: Apache-2.0
// How to get from a frame to the one that called it, on x86-64: read once for each return address from the
// unwind table (.eh_frame) that the library carries for exceptions.
#pragma once

#include <cstdint>
#include <optional>

namespace strata::allocator_tracer {

// The registers that rules are made of, in a function that waits for a call to return.
struct FrameRegisters {
  std::uintptr_t address = 0;  // where it goes on
  std::uintptr_t rsp = 0, rbp = 0;
};

// Of the canonical frame address (CFA): what rsp was before the function was called. The address that it
// returns to lies right below.
struct UnwindRule {
  enum class Cfa : std::uint8_t { kRsp, kRbp, kAtRbp, kOutermost };  // register + offset, or what lies there
  enum class Rbp : std::uint8_t { kSame, kAtCfa, kAtRbp };           // kept, or saved at CFA or rbp + offset

  Cfa cfa = Cfa::kOutermost;
  Rbp rbp = Rbp::kSame;
  std::int32_t cfa_offset = 0, rbp_offset = 0;

  bool operator==(const UnwindRule&) const = default;
};

// The most common ways in which compilers lay frames out. Nothing: there is no table for the address, which
// ends a stack as an outermost frame does, or `is_unknown`: the table says something else, which the C++
// runtime's own unwinder understands.
struct FoundRule {
  std::optional<UnwindRule> rule;
  bool is_unknown = false;
};

// [any] [alloc-lock] Takes no memory, and no lock unless the program registered tables of its own.
FoundRule find_unwind_rule(std::uintptr_t return_address) noexcept;

}  // namespace strata::allocator_tracer
