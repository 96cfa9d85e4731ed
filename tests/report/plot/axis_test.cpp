// SPDX-License-Identifier: Apache-2.0
#include "host/report/plot/axis.hpp"

#include <gtest/gtest.h>

#include <string>

namespace strata::report::plot {
namespace {

void expect_readable(const Axis& axis, double length, int wanted) {
  ASSERT_GE(axis.marks.size(), 2U) << length;
  EXPECT_LE(axis.marks.size(), static_cast<std::size_t>(wanted) + 1) << length;
  EXPECT_EQ(axis.marks.front().value, 0.0);
  EXPECT_LE(axis.marks.back().value, axis.end * (1 + 1e-9));
  for (std::size_t at = 1; at < axis.marks.size(); ++at) {
    EXPECT_GT(axis.marks[at].value, axis.marks[at - 1].value);
    EXPECT_NE(axis.marks[at].label, axis.marks[at - 1].label) << length;
  }
}

TEST(Axis, HasDifferentMarksForEveryLength) {
  for (double length = 2048.0; length < 1e15; length *= 1.37) {
    for (const int wanted : {2, 5, 8}) {
      expect_readable(bytes_axis(length, wanted), length, wanted);
      expect_readable(time_axis(length, wanted), length, wanted);
    }
  }
}

TEST(Axis, SaysRoundAmounts) {
  const Axis memory = bytes_axis(80.0 * 1048576, 5);
  EXPECT_EQ(memory.unit, "MiB");
  EXPECT_EQ(memory.marks.back().label, "80");
  EXPECT_EQ(memory.marks[1].value, 20.0 * 1048576);
  EXPECT_EQ(bytes_axis(80.0 * 1073741824, 5).unit, "GiB");
  EXPECT_EQ(time_axis(2.6e9, 8).marks[1].label, "0.5");
  EXPECT_EQ(time_axis(2.6e6, 8).unit, "ms");
  EXPECT_EQ(time_axis(0.0, 8).unit, "µs");
}

TEST(Axis, OfValuesFarFromZeroBeginsBelowThem) {
  for (const double least : {3.1e9, 0.9e6, 77.0, 5e12}) {
    for (const double times : {1.0, 1.0001, 1.07, 1.9}) {
      for (const Axis& axis :
           {bytes_axis_of(least * 4096, least * 4096 * times, 6), time_axis_of(least, least * times, 6)}) {
        ASSERT_GE(axis.marks.size(), 1U);
        EXPECT_LE(axis.marks.size(), 8U);
        EXPECT_EQ(axis.marks.front().value, axis.begin);
        EXPECT_GT(axis.begin, 0.0);
        EXPECT_LE(axis.marks.back().value, axis.end * (1 + 1e-9));
        EXPECT_GT(axis.end, axis.begin);
      }
      EXPECT_LE(time_axis_of(least, least * times, 6).begin, least * (1 + 1e-9));
      EXPECT_GE(time_axis_of(least, least * times, 6).end, least * times * (1 - 1e-9));
    }
  }
  EXPECT_EQ(time_axis_of(1e6, 2.1e6, 6).begin, 0.0) << "not half of it would be empty";
}

}  // namespace
}  // namespace strata::report::plot
