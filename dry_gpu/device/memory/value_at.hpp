// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstring>

namespace strata::dry_gpu {

// The value at that many bytes behind `from`, wherever it is aligned.
template <typename Value>
Value value_at(const void* from, std::size_t offset = 0) {
  Value value{};
  std::memcpy(&value, static_cast<const std::byte*>(from) + offset, sizeof value);
  return value;
}

}  // namespace strata::dry_gpu
