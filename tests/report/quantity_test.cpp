// SPDX-License-Identifier: Apache-2.0
#include "host/report/quantity.hpp"

#include <gtest/gtest.h>

namespace strata::report {
namespace {

constexpr double kMiB = 1024.0 * 1024.0;

TEST(Mebibytes, SeparatesThousands) {
  EXPECT_EQ(mebibytes(1338.1 * kMiB, 1), "1,338.1");
  EXPECT_EQ(mebibytes(1234567 * kMiB, 0), "1,234,567");
  EXPECT_EQ(mebibytes(999.96 * kMiB, 1), "1,000.0");
}

TEST(Mebibytes, SaysZeroOfZeroAlone) {
  EXPECT_EQ(mebibytes(0, 1), "0.0");
  EXPECT_EQ(mebibytes(1, 1), "<0.1");
  EXPECT_EQ(mebibytes(1, 3), "<0.001");
  EXPECT_EQ(mebibytes(0.06 * kMiB, 1), "0.1");
}

TEST(DecimalsFor, GrowWhereTheRunIsSmall) {
  EXPECT_EQ(decimals_for(100 * kMiB), 1);
  EXPECT_EQ(decimals_for(99 * kMiB), 3);
}

TEST(Percentage, OfNothingIsADash) {
  EXPECT_EQ(percentage(1, 3), "33.3%");
  EXPECT_EQ(percentage(0, 0), "–");
}

TEST(Duration, ChoosesItsUnit) {
  EXPECT_EQ(duration(0), "0 ns");
  EXPECT_EQ(duration(999), "999 ns");
  EXPECT_EQ(duration(1500), "1.5 µs");
  EXPECT_EQ(duration(182.4e6), "182.4 ms");
  EXPECT_EQ(duration(4321e9), "4,321.00 s");
}

}  // namespace
}  // namespace strata::report
