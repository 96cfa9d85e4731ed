// SPDX-License-Identifier: Apache-2.0
// A drawn PNG, read back pixel by pixel.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace strata::report::plot::testing {

struct Pixels {
  int width = 0, height = 0;
  std::vector<std::uint32_t> pixels;  // 0xRRGGBB, row by row

  std::uint32_t at(int x, int y) const {
    const int place = y * width + x;
    return pixels.at(static_cast<std::size_t>(place));
  }
};

// Throws std::runtime_error if it is not a PNG.
Pixels read_png(const std::string& file);

}  // namespace strata::report::plot::testing
