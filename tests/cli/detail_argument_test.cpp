// SPDX-License-Identifier: Apache-2.0
#include "host/cli/arguments.hpp"

#include <gtest/gtest.h>

#include "host/cli/usage_error.hpp"

namespace strata::test {
namespace {

TEST(DetailArgument, IsAPercentage) {
  EXPECT_DOUBLE_EQ(cli::parse_detail("10%"), 0.1);
  EXPECT_DOUBLE_EQ(cli::parse_detail("0.5 %"), 0.005);
  EXPECT_DOUBLE_EQ(cli::parse_detail("100%"), 1.0);
}

TEST(DetailArgument, IsRefusedWhereItIsNone) {
  for (const char* const text :
       {"", "%", "10", "0.1", "0%", "-1%", "101%", "ten%", "10%%", "1 0%", "nan%", "inf%", "10% of it", " %"})
    EXPECT_THROW(cli::parse_detail(text), cli::UsageError) << text;
}

}  // namespace
}  // namespace strata::test
