// SPDX-License-Identifier: Apache-2.0
// How text for a terminal looks: its width, its colours, its bars.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "host/analysis/facts/category.hpp"

namespace strata::report {

// The narrowest report there is; a smaller `width` is taken as this one.
inline constexpr int kNarrowestTerminal = 80;

// What a name keeps of its room beside however many numbers.
inline constexpr int kNarrowestName = 18;

struct TerminalStyle {
  bool colour = false;
  int width = 0;

  std::string heading(std::string_view text) const;
  std::string dimmed(std::string_view text) const;
  std::string alarming(std::string_view text) const;
  std::string in_colour_of(analysis::Category category, std::string_view text) const;
};

// `columns` columns in eighths of one: full for part == whole, something to see for any part above nothing.
std::string bar(std::uint64_t part, std::uint64_t whole, int columns);

}  // namespace strata::report
