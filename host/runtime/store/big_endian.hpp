// SPDX-License-Identifier: Apache-2.0
// Numbers in SQLite's file format: most significant byte first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace strata {

inline void put_16(std::byte* place, std::uint32_t value) noexcept {
  const auto swapped = __builtin_bswap16(static_cast<std::uint16_t>(value));
  std::memcpy(place, &swapped, sizeof swapped);
}

inline void put_32(std::byte* place, std::uint32_t value) noexcept {
  const auto swapped = __builtin_bswap32(value);
  std::memcpy(place, &swapped, sizeof swapped);
}

inline void put_64(std::byte* place, std::uint64_t value) noexcept {
  const auto swapped = __builtin_bswap64(value);
  std::memcpy(place, &swapped, sizeof swapped);
}

// SQLite's "varint", in that many bytes even if fewer would do.
template <int kBytes>
void put_varint(std::byte* place, std::uint32_t value) noexcept {
  for (int index = 0; index < kBytes; ++index) {
    const std::uint32_t bits = value >> (7 * (kBytes - 1 - index)) & 0x7f;
    place[index] = static_cast<std::byte>(index + 1 < kBytes ? bits | 0x80 : bits);
  }
}

}  // namespace strata
