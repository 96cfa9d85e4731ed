// SPDX-License-Identifier: Apache-2.0
#include "tests/report/plot/pixels.hpp"

#include <cairo.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string_view>

namespace strata::report::plot::testing {
namespace {

cairo_status_t give(void* left, unsigned char* to, unsigned int count) {
  auto& rest = *static_cast<std::string_view*>(left);
  if (rest.size() < count) return CAIRO_STATUS_READ_ERROR;
  std::copy_n(rest.begin(), count, to);
  rest.remove_prefix(count);
  return CAIRO_STATUS_SUCCESS;
}

}  // namespace

Pixels read_png(const std::string& file) {
  std::string_view rest = file;
  const std::unique_ptr<cairo_surface_t, decltype(&cairo_surface_destroy)> surface(
      cairo_image_surface_create_from_png_stream(give, &rest), cairo_surface_destroy);
  if (cairo_surface_status(surface.get()) != CAIRO_STATUS_SUCCESS) throw std::runtime_error("no PNG");
  Pixels picture{
      cairo_image_surface_get_width(surface.get()), cairo_image_surface_get_height(surface.get()), {}};
  const unsigned char* const data = cairo_image_surface_get_data(surface.get());
  const int stride = cairo_image_surface_get_stride(surface.get());
  for (int y = 0; y < picture.height; ++y) {
    for (int x = 0; x < picture.width; ++x) {
      std::uint32_t pixel = 0;
      std::memcpy(&pixel, data + y * stride + x * 4, sizeof pixel);
      picture.pixels.push_back(pixel & 0xFFFFFF);
    }
  }
  return picture;
}

}  // namespace strata::report::plot::testing
