// SPDX-License-Identifier: Apache-2.0
#include "host/grid/file/condition.hpp"

#include <gtest/gtest.h>

namespace strata::test {
namespace {

using grid::matches;

TEST(Condition, ComparesNumbersAsNumbers) {
  EXPECT_TRUE(matches("0.001", "1e-3"));
  EXPECT_TRUE(matches("1024", ">=1024"));
  EXPECT_FALSE(matches("1023", ">= 1024"));
  EXPECT_TRUE(matches("9", "<10"));  // as texts the order would be reversed
  EXPECT_FALSE(matches("10", "<10"));
  EXPECT_TRUE(matches("10", "<=10"));
  EXPECT_TRUE(matches("11", ">10"));
  EXPECT_FALSE(matches("10", "!=10.0"));
}

TEST(Condition, ComparesTexts) {
  EXPECT_TRUE(matches("adamw", "adamw"));
  EXPECT_FALSE(matches("adamw", "adam"));
  EXPECT_TRUE(matches("adamw", "!=sgd"));
  EXPECT_TRUE(matches("galore rank=64", "galore"));
  EXPECT_FALSE(matches("galore_adamw", "galore"));
  EXPECT_FALSE(matches("adamw", ">3"));
}

}  // namespace
}  // namespace strata::test
