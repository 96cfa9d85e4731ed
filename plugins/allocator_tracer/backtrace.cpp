// SPDX-License-Identifier: Apache-2.0
#include "plugins/allocator_tracer/backtrace.hpp"

#include <unwind.h>

#include <array>

namespace strata::allocator_tracer {
namespace {

struct Walk {
  std::span<std::uintptr_t> addresses;
  std::size_t count = 0;
  int left_out = 2;  // `walk` itself, and the function that asks for its callers
};

_Unwind_Reason_Code keep_frame(_Unwind_Context* context, void* argument) {
  auto& walk = *static_cast<Walk*>(argument);
  if (walk.left_out > 0) {
    --walk.left_out;
    return _URC_NO_REASON;
  }
  const std::uintptr_t address = _Unwind_GetIP(context);
  if (address == 0 || walk.count == walk.addresses.size()) return _URC_END_OF_STACK;
  walk.addresses[walk.count++] = address;
  return _URC_NO_REASON;
}

[[gnu::noinline]] std::size_t walk(std::span<std::uintptr_t> addresses) {
  Walk walk{.addresses = addresses};
  _Unwind_Backtrace(&keep_frame, &walk);
  return walk.count;
}

#if defined(__x86_64__)

std::uintptr_t word_at(std::uintptr_t address) __attribute__((no_sanitize("address", "thread")));
std::uintptr_t word_at(std::uintptr_t address) {
  return *reinterpret_cast<const std::uintptr_t*>(address);  // NOLINT(performance-no-int-to-ptr)
}

// The frame that called this one.
FrameRegisters caller_of(const FrameRegisters& frame, const UnwindRule& rule) {
  std::uintptr_t cfa = 0;
  switch (rule.cfa) {
    case UnwindRule::Cfa::kRsp:
      cfa = frame.rsp + static_cast<std::uintptr_t>(rule.cfa_offset);
      break;
    case UnwindRule::Cfa::kRbp:
      cfa = frame.rbp + static_cast<std::uintptr_t>(rule.cfa_offset);
      break;
    case UnwindRule::Cfa::kAtRbp:
      cfa = word_at(frame.rbp + static_cast<std::uintptr_t>(rule.cfa_offset));
      break;
    case UnwindRule::Cfa::kOutermost:
      return {};
  }
  FrameRegisters caller{.address = word_at(cfa - 8), .rsp = cfa, .rbp = frame.rbp};
  const auto offset = static_cast<std::uintptr_t>(rule.rbp_offset);
  if (rule.rbp == UnwindRule::Rbp::kAtCfa) caller.rbp = word_at(cfa + offset);
  if (rule.rbp == UnwindRule::Rbp::kAtRbp) caller.rbp = word_at(frame.rbp + offset);
  return caller;
}

#endif

}  // namespace

Unwinder::Unwinder() {
  std::array<std::uintptr_t, 4> addresses;
  unwind_with_libgcc(addresses);
}

#if defined(__x86_64__)

[[gnu::noinline]] std::size_t Unwinder::take(std::span<std::uintptr_t> addresses) noexcept {
  // The builtin forces a frame pointer, from which the caller's registers can be read.
  const auto base = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  FrameRegisters frame{.address = word_at(base + 8), .rsp = base + 16, .rbp = word_at(base)};
  std::size_t count = 0;
  while (frame.address != 0 && count != addresses.size()) {
    addresses[count++] = frame.address;
    const FoundRule found = rules_.find(frame.address);
    if (found.is_unknown) return walk(addresses);
    if (!found.rule) break;
    const FrameRegisters caller = caller_of(frame, *found.rule);
    if (caller.rsp <= frame.rsp) break;  // stacks grow downwards
    frame = caller;
  }
  return count;
}

#else

[[gnu::noinline]] std::size_t Unwinder::take(std::span<std::uintptr_t> addresses) noexcept {
  return walk(addresses);
}

#endif

[[gnu::noinline]] std::size_t unwind_with_libgcc(std::span<std::uintptr_t> addresses) noexcept {
  return walk(addresses);
}

}  // namespace strata::allocator_tracer
