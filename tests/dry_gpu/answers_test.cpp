// SPDX-License-Identifier: Apache-2.0
#include "dry_gpu/device/profile/answers.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <stdexcept>

#include "dry_gpu/device/profile/profile.hpp"
#include "tests/dry_gpu/test_profile.hpp"

namespace strata::dry_gpu {
namespace {

// The next values for a reader, as integers; -1: unknown.
std::vector<int> next(Answers& answers, std::string_view reader, int count) {
  std::vector<int> values;
  for (int read = 0; read < count; ++read) {
    int value = -1;
    if (const auto bytes = answers.next(reader, sizeof value))
      std::memcpy(&value, bytes->data(), sizeof value);
    values.push_back(value);
  }
  return values;
}

TEST(Answers, AreGivenInTheOrderOfReading) {
  Answers answers({parse_answer("aten::nonzero 4 repeat_last 0300000011000000"),
                   parse_answer("aten::item 4 cycle 0100000002000000"),
                   parse_answer("aten::unique 4 unknown 0500000006000000")});
  EXPECT_EQ(next(answers, "aten::nonzero", 4), (std::vector<int>{3, 17, 17, 17}));
  EXPECT_EQ(next(answers, "aten::item", 5), (std::vector<int>{1, 2, 1, 2, 1}));
  EXPECT_EQ(next(answers, "aten::unique", 4), (std::vector<int>{5, 6, -1, -1}));
  EXPECT_EQ(next(answers, "aten::other", 1), (std::vector<int>{-1}));
}

TEST(Answers, AreForReadsOfOneValue) {
  Answers answers({parse_answer("aten::item 4 cycle 01000000"), parse_answer("aten::item 2 cycle 003c")});
  EXPECT_FALSE(answers.next("aten::item", 8).has_value());
  EXPECT_EQ(answers.next("aten::item", 2)->back(), std::byte{0x3c});
  EXPECT_EQ(next(answers, "aten::item", 1), (std::vector<int>{1}));
}

TEST(Answers, AreLinesOfAProfile) {
  const std::string lines =
      "answer aten::item 4 cycle 0a0000000000007f\n"
      "answer aten::nonzero 8 unknown 0102030405060708\n";
  const MachineProfile profile = parse_profile(std::string(kTestProfile) + "contents_bytes 0\n" + lines);
  EXPECT_EQ(profile.contents_bytes, 0u);
  ASSERT_EQ(profile.answers.size(), 2u);
  EXPECT_EQ(profile.answers[1].reader, "aten::nonzero");
  const std::string text = profile_text(profile);
  EXPECT_TRUE(text.ends_with(lines)) << text;
  EXPECT_EQ(profile_text(parse_profile(text)), text);
}

TEST(Answers, AreRefusedWhereTheyAreNone) {
  EXPECT_EQ(parse_profile(kTestProfile).contents_bytes, 65536u);
  for (const char* wrong :
       {"", "aten::item 4 cycle", "aten::item 4 cycle 0102", "aten::item 4 cycle 010203zz",
        "aten::item 4 cycle 010203040", "aten::item 0 cycle 01", "aten::item 4 once 01020304",
        "aten::item four cycle 01020304", "aten::item 4 cycle 01020304 05060708"}) {
    EXPECT_THROW(parse_answer(wrong), std::invalid_argument) << wrong;
  }
  try {
    parse_profile(std::string(kTestProfile) + "answer aten::item\n");
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(),
                 "line 18 of the device profile: answer: expected '<reader> <bytes> "
                 "repeat_last|cycle|unknown <hexadecimal>'");
  }
}

}  // namespace
}  // namespace strata::dry_gpu
