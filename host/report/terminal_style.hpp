// SPDX-License-Identifier: Apache-2.0
// The style of text for a terminal: width, colours, bars.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "host/analysis/facts/category.hpp"

namespace strata::report {

// The minimum width of a report; a smaller `width` is replaced by it.
inline constexpr int kNarrowestTerminal = 80;

// The minimum width of a name, next to any number of numeric columns.
inline constexpr int kNarrowestName = 18;

struct TerminalStyle {
  bool colour = false;
  int width = 0;

  std::string heading(std::string_view text) const;
  std::string dimmed(std::string_view text) const;
  std::string alarming(std::string_view text) const;
  std::string in_colour_of(analysis::Category category, std::string_view text) const;
};

// A bar in eighths of a column: `columns` columns for part == whole, and visible for any nonzero part.
std::string bar(std::uint64_t part, std::uint64_t whole, int columns);

}  // namespace strata::report
