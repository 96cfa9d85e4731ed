// SPDX-License-Identifier: Apache-2.0
#include "host/config/reading/value.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <optional>

namespace strata::test {
namespace {

using namespace strata::config;

TEST(Value, Flags) {
  for (const char* text : {"true", "True", "yes", "on", "ON"}) EXPECT_EQ(parse_flag(text), true) << text;
  for (const char* text : {"false", "No", "off"}) EXPECT_EQ(parse_flag(text), false) << text;
  for (const char* text : {"", "1", "y", "tRue", "true "}) EXPECT_EQ(parse_flag(text), std::nullopt) << text;
}

TEST(Value, Integers) {
  EXPECT_EQ(parse_integer("+12"), 12);
  EXPECT_EQ(parse_integer("-9223372036854775808"), INT64_MIN);
  for (const char* text :
       {"", "+", "+-1", "1.0", "1e3", "0x10", "1_000", " 1", "1 ", "9223372036854775808"}) {
    EXPECT_EQ(parse_integer(text), std::nullopt) << text;
  }
}

TEST(Value, Reals) {
  EXPECT_EQ(parse_real("1e-3"), 1e-3);
  EXPECT_EQ(parse_real(".5"), 0.5);
  EXPECT_EQ(parse_real("3"), 3.0);
  for (const char* text : {"", "nan", "inf", ".inf", "1e999", "1,5", "0x1p3", "1e-3x"}) {
    EXPECT_EQ(parse_real(text), std::nullopt) << text;
  }
}

TEST(Value, Bytes) {
  EXPECT_EQ(parse_bytes("512"), 512);
  EXPECT_EQ(parse_bytes("512B"), 512);
  EXPECT_EQ(parse_bytes("64KiB"), 65536);
  EXPECT_EQ(parse_bytes("1.5 GiB"), std::int64_t{3} << 29);
  EXPECT_EQ(parse_bytes("2TiB"), std::int64_t{1} << 41);
  EXPECT_EQ(parse_bytes("23.52GiB"), 25'254'407'700);
  for (const char* text : {"", "B", "KiB", "1KB", "1 MB", "0.3B", "1e30TiB", "1kib"}) {
    EXPECT_EQ(parse_bytes(text), std::nullopt) << text;
  }
}

TEST(Value, TextsOfValuesReadBackTheSame) {
  for (const double value :
       {0.0, 1.0, 1e-3, 3.0e-4, 1e-8, 1e300, 0.1 + 0.2, std::numeric_limits<double>::denorm_min()}) {
    EXPECT_EQ(parse_real(format_real(value)), value) << format_real(value);
    EXPECT_NE(format_real(value).find('.'), std::string::npos) << format_real(value);
  }
  for (const std::int64_t bytes : {std::int64_t{0}, std::int64_t{1}, std::int64_t{1536}, INT64_MAX}) {
    EXPECT_EQ(parse_bytes(format_bytes(bytes)), bytes) << format_bytes(bytes);
  }
  EXPECT_EQ(format_bytes(1536), "1536");
  EXPECT_EQ(format_bytes(4 << 20), "4MiB");
}

}  // namespace
}  // namespace strata::test
