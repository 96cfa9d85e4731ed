// SPDX-License-Identifier: Apache-2.0
// Numbers as bytes that compress well: LEB128, seven bits per byte, low ones first.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

namespace strata::report {

class NumberColumn {
 public:
  void append(std::uint64_t number) {
    for (; number >= 0x80U; number >>= 7U) bytes_ += static_cast<char>((number & 0x7fU) | 0x80U);
    bytes_ += static_cast<char>(number);
  }
  // 0, -1, 1, -2, ... as 0, 1, 2, 3, ...
  void append_signed(std::int64_t number) {
    append((static_cast<std::uint64_t>(number) << 1U) ^ static_cast<std::uint64_t>(number >> 63));
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

}  // namespace strata::report
