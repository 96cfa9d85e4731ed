// SPDX-License-Identifier: Apache-2.0
#include "host/report/stream/packed.hpp"

#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <stdexcept>

namespace strata::report {
namespace {

constexpr int kLevel = 4;  // of 9: more takes half as long again for the last hundredths of the size
constexpr int kRawWindow = -15;
constexpr int kMemoryLevel = 9;

// zlib counts in 32 bits: the maximum input and output of one call.
uInt one_call(std::size_t bytes) {
  return static_cast<uInt>(std::min<std::size_t>(bytes, std::numeric_limits<uInt>::max() / 2));
}

}  // namespace

std::string deflated(std::string_view bytes) {
  z_stream state{};
  if (deflateInit2(&state, kLevel, Z_DEFLATED, kRawWindow, kMemoryLevel, Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::runtime_error("the page's columns cannot be compressed: zlib got no memory");
  std::string out(deflateBound(&state, static_cast<uLong>(bytes.size())), '\0');
  std::size_t taken = 0, written = 0;
  int result = Z_OK;
  while (result == Z_OK) {
    state.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data() + taken));
    state.avail_in = one_call(bytes.size() - taken);
    state.next_out = reinterpret_cast<Bytef*>(out.data() + written);
    state.avail_out = one_call(out.size() - written);
    const uInt given = state.avail_in, room = state.avail_out;
    result = ::deflate(&state, taken + given == bytes.size() ? Z_FINISH : Z_NO_FLUSH);
    taken += given - state.avail_in;
    written += room - state.avail_out;
  }
  deflateEnd(&state);
  if (result != Z_STREAM_END)
    throw std::runtime_error("the page's columns cannot be compressed: zlib failed");
  out.resize(written);
  return out;
}

std::string base64(std::string_view bytes) {
  static constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t count = std::min<std::size_t>(bytes.size() - i, 3);
    std::uint32_t bits = 0;
    for (std::size_t k = 0; k < 3; ++k)
      bits = bits << 8U | (k < count ? static_cast<std::uint8_t>(bytes[i + k]) : 0U);
    for (std::size_t k = 0; k < 4; ++k) text += k <= count ? kDigits[bits >> (18U - 6U * k) & 0x3fU] : '=';
  }
  return text;
}

}  // namespace strata::report
