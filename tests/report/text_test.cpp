// SPDX-License-Identifier: Apache-2.0
#include "host/report/text.hpp"

#include <gtest/gtest.h>

namespace strata::report {
namespace {

TEST(Printable, KeepsTextOfAnyLanguage) {
  EXPECT_EQ(printable("layers.0 \u00e4\u6f22\U0001F600"), "layers.0 \u00e4\u6f22\U0001F600");
}

TEST(Printable, ReplacesWhatMovesTheCursorOrTurnsTheText) {
  EXPECT_EQ(printable("a\x1b[31mb"), "a\uFFFD[31mb");
  EXPECT_EQ(printable("a\nb\tc\x7f"), "a\uFFFDb\uFFFDc\uFFFD");
  EXPECT_EQ(printable("a\u202Eb\u200Bc\u0085d"), "a\uFFFDb\uFFFDc\uFFFDd");
  EXPECT_EQ(printable(std::string_view("a\0b", 3)), "a\uFFFDb");
}

TEST(Printable, ReplacesEachInvalidByte) {
  EXPECT_EQ(printable("\xff"), "\uFFFD");
  EXPECT_EQ(printable("\xC3("), "\uFFFD(");
  EXPECT_EQ(printable("\xC0\x80"), "\uFFFD\uFFFD");            // overlong
  EXPECT_EQ(printable("\xED\xA0\x80"), "\uFFFD\uFFFD\uFFFD");  // a surrogate
  EXPECT_EQ(printable("\xE2\x82"), "\uFFFD\uFFFD");            // truncated
  EXPECT_EQ(printable("\xF4\x90\x80\x80"), "\uFFFD\uFFFD\uFFFD\uFFFD");
}

TEST(Columns, CountsWideCharactersTwice) {
  EXPECT_EQ(columns("abc"), 3);
  EXPECT_EQ(columns("\u00e4\u6f22\U0001F600"), 5);
}

TEST(Fitted, PadsOrCutsToExactlyItsWidth) {
  EXPECT_EQ(fitted("abc", 5), "abc  ");
  EXPECT_EQ(fitted("layers.11.attn.q_proj", 11), "layer\u2026_proj");
  EXPECT_EQ(fitted("abc", 3), "abc");
  EXPECT_EQ(shortened("abc", 5), "abc");
  EXPECT_EQ(shortened("layers.11.attn.q_proj", 11), "layer\u2026_proj");
  for (int width = 1; width < 12; ++width) {
    EXPECT_EQ(columns(fitted("\u6f22\u5b57\u6f22\u5b57\u6f22\u5b57 abc", width)), width);
  }
}

TEST(Clipped, CutsBetweenCharacters) {
  EXPECT_EQ(clipped("abc", 3), "abc");
  EXPECT_EQ(clipped("abcd", 3), "abc\u2026");
  EXPECT_EQ(clipped("ab\u6f22d", 4), "ab\u2026");
}

}  // namespace
}  // namespace strata::report
