// SPDX-License-Identifier: Apache-2.0
// Converts numbers from text to their bytes in a tensor.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace strata::config {

// "float32", PyTorch's name.
class NumberType {
 public:
  static std::span<const std::string_view> names();
  static std::optional<NumberType> find(std::string_view name);

  std::uint64_t bytes() const;
  // "an integer from 0 to 255", for "expected ..., found ...".
  std::string expectation() const;
  // In hexadecimal, least significant byte first, rounded to the nearest value of the type. Empty if the text
  // is not a number of this type or is out of its range.
  std::optional<std::string> encode(std::string_view text) const;

 private:
  explicit NumberType(std::size_t index) : index_(index) {}

  std::size_t index_;  // into the table
};

}  // namespace strata::config
