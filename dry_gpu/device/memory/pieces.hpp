// SPDX-License-Identifier: Apache-2.0
// Known bytes by address. Not thread-safe.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "dry_gpu/device/memory/address_space.hpp"

namespace strata::dry_gpu {

class Pieces {
 public:
  // Host bytes, shared by all copies of them; or one value, if there are none.
  struct Piece {
    Address end;
    std::shared_ptr<const std::vector<std::byte>> bytes;
    std::uint64_t offset;
    std::byte value;
  };

  bool empty() const { return pieces_.empty(); }
  std::size_t size() const { return pieces_.size(); }
  void clear() { pieces_.clear(); }

  // Replaces what lies there.
  void enter(Address begin, Piece piece);
  void erase(Address begin, Address end);
  void erase_longer_than(std::uint64_t bytes);

  // Calls `visit(begin, end, piece, offset in the piece)` for each known part of the range.
  template <typename Visit>
  void visit(Address address, std::uint64_t bytes, Visit&& visit) const {
    auto each = pieces_.upper_bound(address);
    if (each != pieces_.begin()) --each;
    for (; each != pieces_.end() && each->first < address + bytes; ++each) {
      const Address begin = std::max(each->first, address);
      const Address end = std::min(each->second.end, address + bytes);
      if (begin < end) visit(begin, end, each->second, each->second.offset + (begin - each->first));
    }
  }

 private:
  void cut(Address address);

  std::map<Address, Piece> pieces_;  // by begin; they do not overlap
};

}  // namespace strata::dry_gpu
