// SPDX-License-Identifier: Apache-2.0
// The file formats of pictures.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace strata::report::plot {

enum class FileFormat : std::uint8_t { kSvg, kPng, kPdf };

// The names used in options and file extensions; indexed by FileFormat.
inline constexpr std::array<std::string_view, 3> kFileFormatNames{"svg", "png", "pdf"};

constexpr std::optional<FileFormat> file_format_named(std::string_view name) {
  const auto* const found = std::ranges::find(kFileFormatNames, name);
  if (found == kFileFormatNames.end()) return std::nullopt;
  return static_cast<FileFormat>(found - kFileFormatNames.begin());
}

}  // namespace strata::report::plot
