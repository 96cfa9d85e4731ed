// SPDX-License-Identifier: Apache-2.0
#include "host/export/gzip.hpp"

#include <gtest/gtest.h>
#include <zlib.h>

#include "tests/export/text_output.hpp"

namespace strata::exports {
namespace {

std::string decompressed(std::string compressed, std::size_t bytes) {
  std::string text(bytes + 1, '\0');
  z_stream state{};
  EXPECT_EQ(inflateInit2(&state, 15 + 16), Z_OK);
  state.next_in = reinterpret_cast<Bytef*>(compressed.data());
  state.avail_in = static_cast<uInt>(compressed.size());
  state.next_out = reinterpret_cast<Bytef*>(text.data());
  state.avail_out = static_cast<uInt>(text.size());
  EXPECT_EQ(inflate(&state, Z_FINISH), Z_STREAM_END) << "cut short";
  text.resize(state.total_out);
  inflateEnd(&state);
  return text;
}

TEST(Gzip, GivesBackWhatItTook) {
  for (const std::size_t lines : {0u, 1u, 200'000u}) {
    std::string text;
    testing::TextOutput output;
    Gzip gzip(output);
    for (std::size_t line = 0; line < lines; ++line) {
      const std::string piece = "line " + std::to_string(line * line) + "\n";
      gzip.write(piece);
      text += piece;
    }
    gzip.finish();
    EXPECT_EQ(decompressed(output.text(), text.size()), text);
    EXPECT_LT(output.text().size(), text.size() / 2 + 100);
  }
}

}  // namespace
}  // namespace strata::exports
