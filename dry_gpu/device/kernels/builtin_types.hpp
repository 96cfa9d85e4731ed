// SPDX-License-Identifier: Apache-2.0
// C++'s own types in the names of kernels.
#pragma once

#include <cstdint>
#include <string_view>

namespace strata::dry_gpu {

// Size of a type with a one-letter code in the Itanium C++ ABI; 0 for other letters.
constexpr std::uint32_t builtin_bytes(char letter) {
  switch (letter) {
    case 'b':
    case 'a':
    case 'h':
    case 'c':
      return 1;
    case 's':
    case 't':
      return 2;
    case 'f':
    case 'i':
    case 'j':
      return 4;
    case 'd':
    case 'l':
    case 'm':
    case 'x':
    case 'y':
      return 8;
    default:
      return 0;
  }
}

// Of a type that is computed with: float, double, int and long; 0 for others.
constexpr std::uint32_t number_bytes(char letter) {
  return std::string_view("fdil").find(letter) == std::string_view::npos ? 0 : builtin_bytes(letter);
}

}  // namespace strata::dry_gpu
