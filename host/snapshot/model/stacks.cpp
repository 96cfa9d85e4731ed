// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "host/snapshot/model/snapshot.hpp"

namespace strata::snapshot {
namespace {

std::uint32_t hash_of(std::span<const std::uint32_t> frames) {
  std::uint64_t hash = 0x9e3779b97f4a7c15;
  for (const std::uint32_t frame : frames) {
    hash = (hash ^ frame) * 0xff51afd7ed558ccd;
    hash ^= hash >> 32;
  }
  return static_cast<std::uint32_t>(hash);
}

}  // namespace

std::uint32_t Stacks::add(std::span<const std::uint32_t> frames) {
  if (size() * 2 >= slots_.size()) grow();
  const std::size_t mask = slots_.size() - 1;
  const std::uint32_t hash = hash_of(frames);
  std::size_t slot = hash & mask;
  for (; slots_[slot] != 0; slot = (slot + 1) & mask) {
    const std::uint32_t stack = slots_[slot] - 1;
    if (hashes_[stack] == hash && std::ranges::equal((*this)[stack], frames)) return stack;
  }
  hashes_.push_back(hash);
  frames_.insert(frames_.end(), frames.begin(), frames.end());
  ends_.push_back(frames_.size());
  slots_[slot] = static_cast<std::uint32_t>(size());
  return slots_[slot] - 1;
}

void Stacks::grow() {
  slots_.assign(slots_.empty() ? 1024 : slots_.size() * 2, 0);
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t stack = 0; stack < size(); ++stack) {
    std::size_t slot = hashes_[stack] & mask;
    while (slots_[slot] != 0) slot = (slot + 1) & mask;
    slots_[slot] = static_cast<std::uint32_t>(stack + 1);
  }
}

}  // namespace strata::snapshot
