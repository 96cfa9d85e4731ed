// SPDX-License-Identifier: Apache-2.0
#include "host/grid/plan/dominance.hpp"

#include <gtest/gtest.h>

namespace strata::test {
namespace {

grid::Cell cell(std::vector<grid::Setting> settings) {
  grid::Cell made;
  made.settings = std::move(settings);
  return made;
}

const std::vector<std::string> kAxes{"context", "batch"};

TEST(Dominance, IsMoreOfWhatGrows) {
  const grid::Cell small = cell({{"context", "512"}, {"batch", "8"}, {"optimizer", "adamw"}});
  EXPECT_TRUE(dominates(cell({{"context", "1024"}, {"batch", "8"}, {"optimizer", "adamw"}}), small, kAxes));
  EXPECT_TRUE(dominates(cell({{"context", "1024"}, {"batch", "16"}, {"optimizer", "adamw"}}), small, kAxes));
  EXPECT_FALSE(dominates(cell({{"context", "1024"}, {"batch", "4"}, {"optimizer", "adamw"}}), small, kAxes));
  EXPECT_FALSE(dominates(cell({{"context", "1024"}, {"batch", "8"}, {"optimizer", "sgd"}}), small, kAxes));
  EXPECT_FALSE(dominates(small, cell({{"context", "1024"}, {"batch", "8"}, {"optimizer", "adamw"}}), kAxes));
  EXPECT_FALSE(dominates(cell({{"context", "1024"}}), small, kAxes));
}

TEST(Dominance, DoesNotDependOnTheSeed) {
  EXPECT_TRUE(dominates(cell({{"batch", "8"}, {"seed", "1"}}), cell({{"batch", "8"}, {"seed", "2"}}), kAxes));
}

TEST(Dominance, OfTextsIsEquality) {
  EXPECT_TRUE(dominates(cell({{"batch", "large"}}), cell({{"batch", "large"}}), kAxes));
  EXPECT_FALSE(dominates(cell({{"batch", "large"}}), cell({{"batch", "huge"}}), kAxes));
}

}  // namespace
}  // namespace strata::test
