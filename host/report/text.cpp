// SPDX-License-Identifier: Apache-2.0
#include "host/report/text.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace strata::report {
namespace {

constexpr std::string_view kReplacement = "\uFFFD";
constexpr std::string_view kEllipsis = "\u2026";

struct Character {
  char32_t code_point = 0;
  std::size_t bytes = 1;
  bool valid = false;
};

bool is_continuation(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U;
}

// The character that `text` opens with. Overlong forms, surrogates and what lies beyond U+10FFFF are invalid,
// and an invalid character is one byte long.
Character first_character(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text.front());
  if (lead < 0x80U) return {lead, 1, true};
  const std::size_t bytes = lead >= 0xF0U ? 4 : lead >= 0xE0U ? 3 : 2;
  if (lead < 0xC2U || lead > 0xF4U || text.size() < bytes) return {};
  char32_t code_point = lead & (0xFFU >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    if (!is_continuation(text[i])) return {};
    code_point = (code_point << 6U) | (static_cast<unsigned char>(text[i]) & 0x3FU);
  }
  static constexpr std::array<char32_t, 5> kSmallest{0, 0, 0x80, 0x800, 0x10000};
  if (code_point < kSmallest.at(bytes) || code_point > 0x10FFFF) return {};
  if (code_point >= 0xD800 && code_point <= 0xDFFF) return {};
  return {code_point, bytes, true};
}

struct Range {
  char32_t first, last;
};

bool is_in(const auto& ranges, char32_t code_point) {
  return std::ranges::any_of(
      ranges, [&](const Range& range) { return code_point >= range.first && code_point <= range.last; });
}

// Controls, combining marks, zero-width and bidirectional formatting, variation selectors, tags.
constexpr std::array kWithoutColumn{Range{0x0, 0x1F},      Range{0x7F, 0x9F},     Range{0xAD, 0xAD},
                                    Range{0x300, 0x36F},   Range{0x61C, 0x61C},   Range{0x180E, 0x180E},
                                    Range{0x200B, 0x200F}, Range{0x2028, 0x202E}, Range{0x2060, 0x206F},
                                    Range{0x20D0, 0x20FF}, Range{0xFE00, 0xFE0F}, Range{0xFE20, 0xFE2F},
                                    Range{0xFEFF, 0xFEFF}, Range{0xFFF9, 0xFFFB}, Range{0xE0000, 0xE0FFF}};

// East Asian wide and fullwidth blocks, and emoji.
constexpr std::array kTwoColumns{Range{0x1100, 0x115F},   Range{0x2E80, 0x303E},   Range{0x3041, 0xA4CF},
                                 Range{0xAC00, 0xD7A3},   Range{0xF900, 0xFAFF},   Range{0xFE30, 0xFE6F},
                                 Range{0xFF00, 0xFF60},   Range{0xFFE0, 0xFFE6},   Range{0x1F300, 0x1F64F},
                                 Range{0x1F680, 0x1F6FF}, Range{0x1F900, 0x1F9FF}, Range{0x20000, 0x3FFFD}};

int columns_of(char32_t code_point) {
  return is_in(kTwoColumns, code_point) ? 2 : 1;
}

// The longest opening of `characters` (or closing, with reverse iterators) that takes at most `width`
// columns.
template <typename Iterator>
Iterator take_columns(Iterator begin, Iterator end, int width) {
  while (begin != end && width >= columns(*begin)) width -= columns(*begin++);
  return begin;
}

}  // namespace

std::string printable(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const auto character = first_character(text);
    const bool shown = character.valid && !is_in(kWithoutColumn, character.code_point);
    result += shown ? text.substr(0, character.bytes) : kReplacement;
    text.remove_prefix(character.bytes);
  }
  return result;
}

std::string html_text(std::string_view text) {
  std::string escaped;
  for (const char letter : printable(text)) {
    if (letter == '&')
      escaped += "&amp;";
    else if (letter == '<')
      escaped += "&lt;";
    else if (letter == '>')
      escaped += "&gt;";
    else if (letter == '"')
      escaped += "&quot;";
    else
      escaped += letter;
  }
  return escaped;
}

int columns(std::string_view printable_text) {
  int sum = 0;
  while (!printable_text.empty()) {
    const auto character = first_character(printable_text);
    sum += columns_of(character.code_point);
    printable_text.remove_prefix(character.bytes);
  }
  return sum;
}

std::string shortened(std::string_view text, int width) {
  auto shown = printable(text);
  if (columns(shown) <= width) return shown;

  std::vector<std::string_view> characters;
  for (std::string_view rest = shown; !rest.empty();) {
    characters.push_back(rest.substr(0, first_character(rest).bytes));
    rest.remove_prefix(characters.back().size());
  }
  const int head_width = width / 2;
  const auto head = take_columns(characters.begin(), characters.end(), head_width);
  const auto tail = take_columns(characters.rbegin(), characters.rend(), width - 1 - head_width).base();
  std::string result;
  for (auto character = characters.begin(); character != head; ++character) result += *character;
  result += kEllipsis;
  for (auto character = tail; character != characters.end(); ++character) result += *character;
  return result;
}

std::string fitted(std::string_view text, int width) {
  auto shown = shortened(text, width);
  shown.append(static_cast<std::size_t>(std::max(width - columns(shown), 0)), ' ');
  return shown;
}

std::string wrapped(std::string_view text, int indent, int width) {
  const auto shown = printable(text);
  const std::string margin(static_cast<std::size_t>(indent), ' ');
  std::string result, line;
  for (std::size_t begin = 0; begin < shown.size();) {
    const auto end = std::min(shown.find(' ', begin), shown.size());
    const auto word = std::string_view(shown).substr(begin, end - begin);
    if (!line.empty() && columns(line) + 1 + columns(word) > width - indent) {
      result += margin + line + '\n';
      line.clear();
    }
    if (!line.empty()) line += ' ';
    line += shortened(word, width - indent);
    begin = end + 1;
  }
  return result + margin + line + '\n';
}

std::string clipped(std::string_view text, std::size_t limit) {
  if (text.size() <= limit) return std::string(text);
  std::size_t end = limit;
  while (end > 0 && limit - end < 3 && is_continuation(text[end])) --end;
  return std::string(text.substr(0, end)) + std::string(kEllipsis);
}

}  // namespace strata::report
