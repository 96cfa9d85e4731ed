// SPDX-License-Identifier: Apache-2.0
#include "host/config/nearest.hpp"

#include <gtest/gtest.h>

#include <array>

namespace strata::test {
namespace {

constexpr std::array<std::string_view, 4> kKnown{"layers", "d_model", "heads", "vocab"};

TEST(Nearest, IsTheNameWithFewestEdits) {
  EXPECT_EQ(config::nearest("layer", kKnown), "layers");
  EXPECT_EQ(config::nearest("dmodel", kKnown), "d_model");
  EXPECT_EQ(config::nearest("haeds", kKnown), "heads");
  EXPECT_EQ(config::nearest("vocad", kKnown), "vocab");
}

TEST(Nearest, IsNoneWhenTooMuchDiffers) {
  EXPECT_EQ(config::nearest("frobnicate", kKnown), "");
  EXPECT_EQ(config::nearest("x", kKnown), "");
  EXPECT_EQ(config::nearest("", kKnown), "");
  EXPECT_EQ(config::nearest(std::string(100'000, 'l'), kKnown), "");
}

TEST(Nearest, AnswersInWords) {
  EXPECT_EQ(config::did_you_mean("layer", kKnown), "; did you mean 'layers'?");
  EXPECT_EQ(config::did_you_mean("frobnicate", kKnown), "");
}

}  // namespace
}  // namespace strata::test
