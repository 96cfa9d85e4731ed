// SPDX-License-Identifier: Apache-2.0
// What a binary PPM file says before its pixels: https://netpbm.sourceforge.net/doc/ppm.html
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace strata::config {

struct PpmHeader {
  std::int64_t width = 0;
  std::int64_t height = 0;
  std::int64_t maximum = 0;       // the value of a colour that is fully there: 1 to 255
  std::size_t pixels_offset = 0;  // of the first row's first pixel: red, green, blue, a byte each
};

// The longest header that is read: comments may stand in it.
inline constexpr std::size_t kMostPpmHeaderBytes = 4096;

// `beginning`: the file's first kMostPpmHeaderBytes, or all of it; `file_bytes`: its size. What follows the
// pixels is ignored. Throws std::invalid_argument where no whole image of 8 bits a colour is there; the
// message is to follow the file's name: "is truncated: ...; write it again".
PpmHeader read_ppm_header(std::span<const std::byte> beginning, std::uint64_t file_bytes);

}  // namespace strata::config
