// SPDX-License-Identifier: Apache-2.0
// The header of a binary PPM file: https://netpbm.sourceforge.net/doc/ppm.html
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace strata::config {

struct PpmHeader {
  std::int64_t width = 0;
  std::int64_t height = 0;
  std::int64_t maximum = 0;       // the maximum value of a colour: 1 to 255
  std::size_t pixels_offset = 0;  // of the first pixel: red, green, blue, one byte each
};

// The longest header supported, which may contain comments.
inline constexpr std::size_t kMostPpmHeaderBytes = 4096;

// `beginning`: the file's first kMostPpmHeaderBytes, or all of it; `file_bytes`: its size. Data after the
// pixels is ignored. Throws std::invalid_argument if this is not a complete image with 8 bits per colour; the
// message is to be appended to the file's name: "is truncated: ...; write it again".
PpmHeader read_ppm_header(std::span<const std::byte> beginning, std::uint64_t file_bytes);

}  // namespace strata::config
