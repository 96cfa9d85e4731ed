// SPDX-License-Identifier: Apache-2.0
#include "host/report/terminal_style.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace strata::report {
namespace {

// The page's colours (page/page.css) in the 256 that terminals share.
constexpr std::array<int, analysis::kCategories> kColours{62, 74, 37, 179, 71, 168, 133, 245};

std::string sequence(const char* code, std::string_view text, bool colour) {
  return colour ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : std::string(text);
}

}  // namespace

std::string TerminalStyle::heading(std::string_view text) const {
  return sequence("1", text, colour);
}
std::string TerminalStyle::dimmed(std::string_view text) const {
  return sequence("2", text, colour);
}
std::string TerminalStyle::alarming(std::string_view text) const {
  return sequence("1;31", text, colour);
}
std::string TerminalStyle::in_colour_of(analysis::Category category, std::string_view text) const {
  const auto code = fmt::format("38;5;{}", kColours.at(static_cast<std::size_t>(category)));
  return sequence(code.c_str(), text, colour);
}

std::string bar(std::uint64_t part, std::uint64_t whole, int columns) {
  static constexpr std::array<std::string_view, 8> kEighths{"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const double ratio =
      whole == 0 ? 0.0 : static_cast<double>(std::min(part, whole)) / static_cast<double>(whole);
  auto eighths = static_cast<std::size_t>(std::lround(ratio * 8.0 * columns));
  if (part > 0 && eighths == 0) eighths = 1;
  std::string text;
  for (std::size_t i = 0; i < eighths / 8; ++i) text += "█";
  text += kEighths.at(eighths % 8);
  const auto taken = eighths / 8 + (eighths % 8 > 0 ? 1 : 0);
  text.append(static_cast<std::size_t>(columns) - taken, ' ');
  return text;
}

}  // namespace strata::report
