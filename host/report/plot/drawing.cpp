// SPDX-License-Identifier: Apache-2.0
#include "host/report/plot/drawing.hpp"

#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <cairo.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <new>
#include <numbers>
#include <system_error>

#include <fmt/format.h>

#include "host/report/text.hpp"

namespace strata::report::plot {
namespace {

// Call before the first text is drawn: if the system has no fontconfig configuration, uses the fonts shipped
// with the program, if any. Applies to this process and its children.
void use_own_fonts_without_others() {
  namespace fs = std::filesystem;
  std::error_code error;
  if (std::getenv("FONTCONFIG_FILE") != nullptr || fs::exists("/etc/fonts/fonts.conf", error)) return;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  const fs::path own = program.parent_path().parent_path() / "share/strata/fonts/fonts.conf";
  if (fs::exists(own, error)) setenv("FONTCONFIG_FILE", own.c_str(), 0);
}

constexpr const char* kFont = "DejaVu Sans";

cairo_status_t keep(void* file, const unsigned char* bytes, unsigned int count) {
  try {
    static_cast<std::string*>(file)->append(reinterpret_cast<const char*>(bytes), count);
    return CAIRO_STATUS_SUCCESS;
  } catch (const std::bad_alloc&) {
    return CAIRO_STATUS_NO_MEMORY;
  }
}

void check(cairo_status_t status) {
  if (status != CAIRO_STATUS_SUCCESS)
    throw DrawingError(fmt::format("the picture could not be drawn: {}", cairo_status_to_string(status)));
}

}  // namespace

struct Drawing::Canvas {
  struct SurfaceEnd {
    void operator()(cairo_surface_t* ended) const { cairo_surface_destroy(ended); }
  };
  struct ContextEnd {
    void operator()(cairo_t* ended) const { cairo_destroy(ended); }
  };

  FileFormat format;
  std::string file;
  std::unique_ptr<cairo_surface_t, SurfaceEnd> surface;
  std::unique_ptr<cairo_t, ContextEnd> context;

  Canvas(FileFormat wanted, double width, double height, double pixels_a_point) : format(wanted) {
    if (format == FileFormat::kPng) {
      const auto pixels = [&](double points) { return static_cast<int>(std::ceil(points * pixels_a_point)); };
      surface.reset(cairo_image_surface_create(CAIRO_FORMAT_RGB24, pixels(width), pixels(height)));
    } else {
      surface.reset(format == FileFormat::kSvg
                        ? cairo_svg_surface_create_for_stream(keep, &file, width, height)
                        : cairo_pdf_surface_create_for_stream(keep, &file, width, height));
    }
    check(cairo_surface_status(surface.get()));
    use_own_fonts_without_others();
    context.reset(cairo_create(surface.get()));
    check(cairo_status(context.get()));
    if (format == FileFormat::kPng) cairo_scale(context.get(), pixels_a_point, pixels_a_point);
  }

  cairo_t* get() const { return context.get(); }

  void choose(Colour colour) const { cairo_set_source_rgb(get(), colour.red, colour.green, colour.blue); }

  void choose(const TextStyle& style) const {
    cairo_select_font_face(get(), kFont, CAIRO_FONT_SLANT_NORMAL,
                           style.bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(get(), style.size);
  }

  double advance_of(const std::string& printed) const {
    cairo_text_extents_t extents;
    cairo_text_extents(get(), printed.c_str(), &extents);
    return extents.x_advance;
  }

  void trace(const std::vector<Position>& corners) const {
    cairo_new_path(get());
    for (const Position& corner : corners) cairo_line_to(get(), corner.x, corner.y);
  }
};

Drawing::Drawing(FileFormat format, double width, double height, double pixels_a_point)
    : canvas_(std::make_unique<Canvas>(format, width, height, pixels_a_point)) {
  fill(Rectangle{0.0, 0.0, width, height}, Colour::of(0xFFFFFF));
}

Drawing::~Drawing() = default;

void Drawing::fill(const Rectangle& area, Colour colour) {
  canvas_->choose(colour);
  cairo_rectangle(canvas_->get(), area.left, area.top, area.width, area.height);
  cairo_fill(canvas_->get());
}

void Drawing::fill(const std::vector<Position>& corners, Colour colour) {
  canvas_->choose(colour);
  canvas_->trace(corners);
  cairo_close_path(canvas_->get());
  cairo_fill(canvas_->get());
}

void Drawing::line(const std::vector<Position>& corners, Colour colour, double width, bool dashed) {
  static constexpr double kDashes[] = {4.0, 3.0};
  canvas_->choose(colour);
  canvas_->trace(corners);
  cairo_set_line_width(canvas_->get(), width);
  cairo_set_dash(canvas_->get(), kDashes, dashed ? 2 : 0, 0.0);
  cairo_stroke(canvas_->get());
}

void Drawing::dot(Position centre, double radius, Colour colour) {
  canvas_->choose(colour);
  cairo_new_path(canvas_->get());
  cairo_arc(canvas_->get(), centre.x, centre.y, radius, 0.0, 2.0 * std::numbers::pi);
  cairo_fill(canvas_->get());
}

void Drawing::text(Position at, std::string_view text, const TextStyle& style) {
  const std::string printed = printable(text);
  canvas_->choose(style.colour);
  canvas_->choose(style);
  const double advance = style.align == Align::kLeft ? 0.0 : canvas_->advance_of(printed);
  cairo_move_to(canvas_->get(), at.x - (style.align == Align::kMiddle ? advance / 2 : advance), at.y);
  cairo_show_text(canvas_->get(), printed.c_str());
}

double Drawing::width_of(std::string_view text, const TextStyle& style) const {
  canvas_->choose(style);
  return canvas_->advance_of(printable(text));
}

std::string Drawing::finish() {
  check(cairo_status(canvas_->get()));
  if (canvas_->format == FileFormat::kPng)
    check(cairo_surface_write_to_png_stream(canvas_->surface.get(), keep, &canvas_->file));
  cairo_surface_finish(canvas_->surface.get());
  check(cairo_surface_status(canvas_->surface.get()));
  return std::move(canvas_->file);
}

}  // namespace strata::report::plot
