// SPDX-License-Identifier: Apache-2.0
#include "host/report/time/columns.hpp"

#include <algorithm>

#include "host/report/text.hpp"

namespace strata::report {
namespace {

constexpr int kWidestName = 64;

std::string right(const std::string& cell, int width) {
  return std::string(static_cast<std::size_t>(std::max(0, width - columns(cell))), ' ') + cell;
}

}  // namespace

std::string ColumnTable::text(const TerminalStyle& style) const {
  std::vector<int> widths;
  int taken = 2;
  // Columns on the right that find no room are left out.
  const auto has_room = [&](int width) { return taken + width + 2 + kNarrowestName <= style.width; };
  for (std::size_t column = 1; column < headings_.size(); ++column) {
    int width = columns(headings_[column]);
    for (const auto& row : rows_) width = std::max(width, columns(row.at(column)));
    if (!has_room(width)) break;
    widths.push_back(width + 2);
    taken += width + 2;
  }
  int longest = columns(printable(headings_.front()));
  for (const auto& row : rows_) longest = std::max(longest, columns(printable(row.front())));
  const int name = std::clamp(std::min(style.width - taken, longest), kNarrowestName, kWidestName);
  const auto line = [&](const std::vector<std::string>& cells) {
    std::string text = "  " + fitted(cells.front(), name);
    for (std::size_t column = 1; column <= widths.size(); ++column)
      text += right(cells[column], widths[column - 1]);
    text.erase(text.find_last_not_of(' ') + 1);
    return text;
  };
  std::string text = style.heading(line(headings_)) + '\n';
  for (const auto& row : rows_) text += line(row) + '\n';
  return text;
}

}  // namespace strata::report
