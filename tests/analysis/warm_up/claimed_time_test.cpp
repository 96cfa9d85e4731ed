// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/warm_up/claimed_time.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace strata::analysis {
namespace {

TEST(ClaimedTime, GivesEachMomentOnce) {
  ClaimedTime time;
  EXPECT_EQ(time.claim(10, 20), 10);
  EXPECT_EQ(time.claim(10, 20), 0);
  EXPECT_EQ(time.claim(15, 25), 5);
  EXPECT_EQ(time.claim(0, 30), 15);
  EXPECT_EQ(time.claim(40, 40), 0);
  EXPECT_EQ(time.claim(50, 40), 0);
}

TEST(ClaimedTime, AgreesWithCountingMoments) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 50; ++round) {
    ClaimedTime time;
    std::vector<bool> taken(100);
    for (int claim = 0; claim < 40; ++claim) {
      const auto begin = static_cast<std::int64_t>(random() % 100);
      const auto end = std::min<std::int64_t>(100, begin + static_cast<std::int64_t>(random() % 30));
      std::int64_t expected = 0;
      for (auto moment = static_cast<std::size_t>(begin); moment < static_cast<std::size_t>(end); ++moment) {
        expected += !taken[moment];
        taken[moment] = true;
      }
      ASSERT_EQ(time.claim(begin, end), expected);
    }
  }
}

}  // namespace
}  // namespace strata::analysis
