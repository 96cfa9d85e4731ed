// SPDX-License-Identifier: Apache-2.0
// Parses a text that consists of a number only, such as a variable's value or a file's name.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>
#include <system_error>

namespace strata {

// Empty if the text contains anything else, or a number that does not fit.
inline std::optional<std::uint32_t> whole_number(std::string_view text) {
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace strata
