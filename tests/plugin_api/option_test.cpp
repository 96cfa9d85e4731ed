// SPDX-License-Identifier: Apache-2.0
#include "strata/option.hpp"

#include <gtest/gtest.h>

namespace strata {
namespace {

constexpr strata_option kOptions[] = {option::flag("flag", "true", "a flag"),
                                      option::integer("integer", "4", "an integer", 1, 64),
                                      option::real("real", "0.5", "a real"),
                                      option::text("text", "any", "a text"),
                                      option::choice("choice", "fast|exact", "fast", "a choice"),
                                      option::bytes("bytes", "1MiB", "bytes", 4096, 1 << 30)};

TEST(Option, EachHasTheTypeThatItsFunctionIsCalledBy) {
  const std::uint32_t types[] = {STRATA_OPTION_FLAG, STRATA_OPTION_INTEGER, STRATA_OPTION_REAL,
                                 STRATA_OPTION_TEXT, STRATA_OPTION_TEXT,    STRATA_OPTION_BYTES};
  const char* const defaults[] = {"true", "4", "0.5", "any", "fast", "1MiB"};
  for (std::size_t index = 0; index < std::size(kOptions); ++index) {
    EXPECT_EQ(kOptions[index].type, types[index]) << kOptions[index].key;
    EXPECT_STREQ(kOptions[index].default_text, defaults[index]);
    EXPECT_EQ(kOptions[index].reserved, 0u);
  }
}

TEST(Option, ARangeHoldsWhereOneIsGiven) {
  EXPECT_EQ(kOptions[1].minimum, 1);
  EXPECT_EQ(kOptions[1].maximum, 64);
  EXPECT_EQ(kOptions[2].minimum, kOptions[2].maximum);
  EXPECT_EQ(kOptions[5].maximum, 1 << 30);
}

TEST(Option, OnlyAChoiceHasChoices) {
  for (const strata_option& each : kOptions) {
    if (each.choices != nullptr) {
      EXPECT_STREQ(each.key, "choice");
    }
  }
  EXPECT_STREQ(kOptions[4].choices, "fast|exact");
}

}  // namespace
}  // namespace strata
