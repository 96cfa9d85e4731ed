// SPDX-License-Identifier: Apache-2.0
// Rules by return address, each looked up once. Shared by threads without a lock.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <optional>

#include "plugins/allocator_tracer/unwind_rule.hpp"

namespace strata::allocator_tracer {

class UnwindRuleCache {
 public:
  // [any] [alloc-lock] Like find_unwind_rule. A thread is about to return to `return_address`, so its code is
  // mapped.
  FoundRule find(std::uintptr_t return_address) noexcept {
    const std::uint64_t code = digest_of_call(return_address);
    Place* free = nullptr;
    for (std::size_t step = 0; step < kSearched; ++step) {
      Place& place = places_[(mixed(return_address) + step) % kPlaces];
      const std::uintptr_t held = place.address.load(std::memory_order_acquire);
      if (held == return_address) {
        const std::uint64_t entry = place.entry.load(std::memory_order_acquire);
        // Another library may be mapped at the same place: then the call before the address differs.
        if (entry != 0 && entry >> 32 == code) return {.rule = unpacked(entry), .is_unknown = false};
        return find_unwind_rule(return_address);
      }
      if (held == 0) {
        free = &place;
        break;
      }
    }
    const FoundRule found = find_unwind_rule(return_address);
    if (free != nullptr && found.rule) keep(*free, return_address, *found.rule, code);
    return found;
  }

 private:
  struct Place {
    std::atomic<std::uintptr_t> address{0};  // written once
    std::atomic<std::uint64_t> entry{0};     // 0: not written yet
  };
  static constexpr std::size_t kPlaces = std::size_t{1} << 16;
  static constexpr std::size_t kSearched = 32;
  // Offsets are stored in words of 8 bytes, as signed 14-bit numbers.
  static constexpr std::int32_t kWord = 8, kMostWords = 1 << 13;

  static std::size_t mixed(std::uintptr_t address) {
    return static_cast<std::size_t>(address * 0x9E3779B97F4A7C15u >> 40);
  }

  // Of the 8 bytes before the address, which contain the call instruction.
  static std::uint64_t digest_of_call(std::uintptr_t return_address) {
    std::uint64_t code = 0;
    // NOLINTNEXTLINE(performance-no-int-to-ptr)
    std::memcpy(&code, reinterpret_cast<const void*>(return_address - sizeof code), sizeof code);
    return code * 0x9E3779B97F4A7C15u >> 32;
  }

  static bool fits(std::int32_t offset) {
    return offset % kWord == 0 && offset / kWord < kMostWords && offset / kWord > -kMostWords;
  }

  static void keep(Place& place, std::uintptr_t address, const UnwindRule& rule, std::uint64_t code) {
    std::uintptr_t expected = 0;
    if (!fits(rule.cfa_offset) || !fits(rule.rbp_offset)) return;
    if (!place.address.compare_exchange_strong(expected, address, std::memory_order_acq_rel)) return;
    const auto words = [](std::int32_t offset) {
      const std::int32_t shifted = offset / kWord + kMostWords;  // never 0
      return static_cast<std::uint64_t>(shifted);
    };
    place.entry.store(code << 32 | words(rule.cfa_offset) << 18 | words(rule.rbp_offset) << 4 |
                          static_cast<std::uint64_t>(rule.rbp) << 2 | static_cast<std::uint64_t>(rule.cfa),
                      std::memory_order_release);
  }

  static UnwindRule unpacked(std::uint64_t entry) {
    const auto offset = [](std::uint64_t bits) {
      return (static_cast<std::int32_t>(bits & (2 * kMostWords - 1)) - kMostWords) * kWord;
    };
    return {.cfa = static_cast<UnwindRule::Cfa>(entry & 3),
            .rbp = static_cast<UnwindRule::Rbp>(entry >> 2 & 3),
            .cfa_offset = offset(entry >> 18),
            .rbp_offset = offset(entry >> 4)};
  }

  std::array<Place, kPlaces> places_{};
};

}  // namespace strata::allocator_tracer
