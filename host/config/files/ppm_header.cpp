// SPDX-License-Identifier: Apache-2.0
#include "host/config/files/ppm_header.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <string_view>

namespace strata::config {
namespace {

constexpr std::int64_t kMostPixelsOfASide = 1'000'000;

class HeaderReader {
 public:
  explicit HeaderReader(std::string_view text) : text_(text) {}

  void magic() {
    if (!text_.starts_with("P6"))
      throw std::invalid_argument(
          "is not a binary PPM, because it does not begin with P6; convert it, for example with `magick "
          "image.png -depth 8 image.ppm`");
    at_ = 2;
  }

  std::int64_t number(std::string_view name, std::int64_t most) {
    skip_space_and_comments();
    const std::size_t begin = at_;
    std::int64_t value = 0;
    while (at_ < text_.size() && is_digit(text_[at_]) && value <= most)
      value = 10 * value + (text_[at_++] - '0');
    if (at_ == begin || value < 1 || value > most)
      throw std::invalid_argument(
          fmt::format("has a broken header: expected its {} at byte {}, from 1 to {}; write it again as "
                      "binary PPM with 8 bits per colour",
                      name, begin, most));
    return value;
  }

  // One character of space, and the pixels begin.
  std::size_t end() {
    if (at_ >= text_.size() || !is_space(text_[at_]))
      throw std::invalid_argument(
          fmt::format("has a broken header: it does not end at byte {}; write it again", at_));
    return at_ + 1;
  }

 private:
  static bool is_digit(char c) { return c >= '0' && c <= '9'; }
  static bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

  void skip_space_and_comments() {
    while (at_ < text_.size() && (is_space(text_[at_]) || text_[at_] == '#')) {
      if (text_[at_] == '#') at_ = std::min(text_.find('\n', at_), text_.size() - 1);
      ++at_;
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

PpmHeader read_ppm_header(std::span<const std::byte> beginning, std::uint64_t file_bytes) {
  HeaderReader reader({reinterpret_cast<const char*>(beginning.data()), beginning.size()});
  reader.magic();
  PpmHeader header;
  header.width = reader.number("width", kMostPixelsOfASide);
  header.height = reader.number("height", kMostPixelsOfASide);
  header.maximum = reader.number("largest value", 255);
  header.pixels_offset = reader.end();
  const auto expected = static_cast<std::uint64_t>(3 * header.width * header.height);
  const std::uint64_t found = file_bytes - header.pixels_offset;
  if (found < expected)
    throw std::invalid_argument(
        fmt::format("is truncated: {} x {} pixels are {} bytes, but {} follow its header; write it again",
                    header.width, header.height, expected, found));
  return header;
}

}  // namespace strata::config
