// SPDX-License-Identifier: Apache-2.0
// Numbers as tensors hold them: texts to the bytes that lie in memory.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace strata::config {

// "float32", as PyTorch calls it.
class NumberType {
 public:
  static std::span<const std::string_view> names();
  static std::optional<NumberType> find(std::string_view name);

  std::uint64_t bytes() const;
  // "an integer from 0 to 255", for "expected ..., found ...".
  std::string expectation() const;
  // In hexadecimal, least significant byte first, rounded to the nearest as the type has it. Nothing: the
  // text is no such number, or one out of the type's range.
  std::optional<std::string> encode(std::string_view text) const;

 private:
  explicit NumberType(std::size_t index) : index_(index) {}

  std::size_t index_;  // in the table
};

}  // namespace strata::config
