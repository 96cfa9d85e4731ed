// SPDX-License-Identifier: Apache-2.0
// A picture of lines, areas and text, written as SVG, PNG or PDF. Lengths are in points (1/72 inch) from the
// upper left corner. Uses cairo, which is not exposed here.
#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "host/report/plot/file_format.hpp"

namespace strata::report::plot {

struct Colour {
  double red = 0.0, green = 0.0, blue = 0.0;  // 0 to 1

  // 0xRRGGBB
  static constexpr Colour of(std::uint32_t rgb) {
    return {static_cast<double>(rgb >> 16 & 0xFF) / 255.0, static_cast<double>(rgb >> 8 & 0xFF) / 255.0,
            static_cast<double>(rgb & 0xFF) / 255.0};
  }
};

struct Position {
  double x = 0.0, y = 0.0;
};

struct Rectangle {
  double left = 0.0, top = 0.0, width = 0.0, height = 0.0;
};

enum class Align : std::uint8_t { kLeft, kMiddle, kRight };

struct TextStyle {
  double size = 9.0;
  Colour colour = {};
  Align align = Align::kLeft;
  bool bold = false;
};

// The picture could not be drawn; the message says why.
class DrawingError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class Drawing {
 public:
  // With a white background. A PNG has `pixels_a_point` pixels per point. Throws DrawingError.
  Drawing(FileFormat format, double width, double height, double pixels_a_point);
  ~Drawing();
  Drawing(const Drawing&) = delete;
  Drawing& operator=(const Drawing&) = delete;

  void fill(const Rectangle& area, Colour colour);
  // A closed polygon.
  void fill(const std::vector<Position>& corners, Colour colour);
  void line(const std::vector<Position>& corners, Colour colour, double width, bool dashed = false);
  void dot(Position centre, double radius, Colour colour);
  // `at` is on the text's baseline. UTF-8; unprintable characters are replaced.
  void text(Position at, std::string_view text, const TextStyle& style);
  double width_of(std::string_view text, const TextStyle& style) const;

  // The file's contents. Nothing may be drawn afterwards. Throws DrawingError.
  std::string finish();

 private:
  struct Canvas;
  std::unique_ptr<Canvas> canvas_;
};

}  // namespace strata::report::plot
