// SPDX-License-Identifier: Apache-2.0
#include "dry_gpu/device/memory/pieces.hpp"

#include <iterator>
#include <utility>

namespace strata::dry_gpu {

void Pieces::enter(Address begin, Piece piece) {
  erase(begin, piece.end);
  pieces_.emplace(begin, std::move(piece));
}

void Pieces::erase(Address begin, Address end) {
  if (pieces_.empty()) return;
  cut(begin);
  cut(end);
  pieces_.erase(pieces_.lower_bound(begin), pieces_.lower_bound(end));
}

void Pieces::erase_longer_than(std::uint64_t bytes) {
  std::erase_if(pieces_, [&](const auto& each) { return each.second.end - each.first > bytes; });
}

// Makes two pieces of one that lies across the address.
void Pieces::cut(Address address) {
  const auto after = pieces_.lower_bound(address);
  if (after == pieces_.begin()) return;
  const auto before = std::prev(after);
  if (before->second.end <= address) return;
  Piece rest = before->second;
  rest.offset += address - before->first;
  before->second.end = address;
  pieces_.emplace_hint(after, address, std::move(rest));
}

}  // namespace strata::dry_gpu
