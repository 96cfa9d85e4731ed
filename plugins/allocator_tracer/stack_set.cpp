// SPDX-License-Identifier: Apache-2.0
#include "plugins/allocator_tracer/stack_set.hpp"

namespace strata::allocator_tracer {
namespace {

__extension__ using Wide = unsigned __int128;

std::uint64_t folded_product(std::uint64_t left, std::uint64_t right) {
  const Wide product = static_cast<Wide>(left) * right;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

}  // namespace

// Two words at a time through a folded multiplication, as wyhash does: a stack of 40 frames takes 20 of them.
std::uint64_t hash_of(std::span<const std::uintptr_t> addresses) {
  constexpr std::uint64_t kFirst = 0xA0761D6478BD642Fu;
  constexpr std::uint64_t kSecond = 0xE7037ED1A0B428DBu;
  std::uint64_t hash = kFirst ^ addresses.size();
  std::size_t next = 0;
  for (; next + 1 < addresses.size(); next += 2)
    hash = folded_product(addresses[next] ^ kFirst, addresses[next + 1] ^ kSecond ^ hash);
  if (next < addresses.size()) hash = folded_product(addresses[next] ^ kFirst, hash ^ kSecond);
  hash = folded_product(hash ^ kFirst, kSecond);
  return hash < 2 ? hash + 2 : hash;  // 0 and 1 mean no stack in a StackSet
}

StackSet::StackSet(std::size_t places)
    : places_(std::make_unique<std::atomic<std::uint64_t>[]>(places)), mask_(places - 1) {}

StackSet::Found StackSet::insert(std::uint64_t hash) noexcept {
  for (std::size_t step = 0; step < kSearched; ++step) {
    std::atomic<std::uint64_t>& place = places_[(hash + step) & mask_];
    std::uint64_t held = place.load(std::memory_order_acquire);
    if (held == kEmpty && place.compare_exchange_strong(held, hash, std::memory_order_acq_rel))
      return Found::kNew;
    if (held == hash) return Found::kKnown;  // also when another thread was quicker just now
  }
  return Found::kFull;
}

void StackSet::forget(std::uint64_t hash) noexcept {
  for (std::size_t step = 0; step < kSearched; ++step) {
    std::uint64_t expected = hash;
    if (places_[(hash + step) & mask_].compare_exchange_strong(expected, kForgotten)) return;
  }
}

}  // namespace strata::allocator_tracer
