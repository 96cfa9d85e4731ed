// SPDX-License-Identifier: Apache-2.0
#include "sources/cupti/records/origins.hpp"

namespace strata::cupti {

Origins::Origins() : slots_(std::make_unique<std::array<Slot, kSlots>>()) {}

// A reader of a slot that is being written sees that its number has changed.
std::uint64_t Origins::note(const Origin& origin) noexcept {
  const std::uint64_t number = last_.fetch_add(1, std::memory_order_relaxed) + 1;
  Slot& slot = (*slots_)[number % kSlots];
  slot.number.store(0, std::memory_order_release);
  slot.op.store(origin.op, std::memory_order_release);
  slot.phase_and_module.store(std::uint64_t{origin.phase} << 32 | origin.module, std::memory_order_release);
  slot.number.store(number, std::memory_order_release);
  return number;
}

std::optional<Origin> Origins::find(std::uint64_t number) const noexcept {
  if (number == 0) return std::nullopt;
  const Slot& slot = (*slots_)[number % kSlots];
  if (slot.number.load(std::memory_order_acquire) != number) return std::nullopt;
  Origin origin;
  origin.op = slot.op.load(std::memory_order_acquire);
  const std::uint64_t both = slot.phase_and_module.load(std::memory_order_acquire);
  origin.phase = static_cast<std::uint32_t>(both >> 32);
  origin.module = static_cast<std::uint32_t>(both);
  if (slot.number.load(std::memory_order_acquire) != number) return std::nullopt;
  return origin;
}

}  // namespace strata::cupti
