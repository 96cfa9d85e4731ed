// SPDX-License-Identifier: Apache-2.0
// Parses texts from another process or from a file, which may be malformed.
#pragma once

#include <charconv>
#include <optional>
#include <string_view>

namespace strata::dry_gpu::real_cudnn {

// The text up to the separator; removes both from `text`. The whole text if there is no separator.
inline std::string_view take_until(std::string_view& text, char separator) {
  const std::size_t end = text.find(separator);
  const std::string_view word = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return word;
}

// Empty if the whole word is not a number from `least` to `most`.
template <typename Number>
std::optional<Number> number_in(std::string_view word, Number least, Number most) {
  Number number{};
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (error != std::errc() || end != word.data() + word.size() || number < least || number > most)
    return std::nullopt;
  return number;
}

}  // namespace strata::dry_gpu::real_cudnn
