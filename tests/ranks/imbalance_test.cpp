// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/ranks/imbalance.hpp"

#include <gtest/gtest.h>

#include "tests/ranks/job_of_ranks.hpp"

namespace strata::analysis {
namespace {

using testing::job_of_ranks;
using testing::kMiB;

TEST(Imbalance, NothingBetweenRanksThatAreAlike) {
  const Imbalance found = find_imbalance(job_of_ranks());
  EXPECT_EQ(found.spread_bytes, 0u);
  EXPECT_TRUE(found.shares.empty());
}

TEST(Imbalance, NamesCategoryKindAndLayerOfTheHeavierRank) {
  std::vector<RankFacts> ranks = job_of_ranks();
  RankFacts& heavy = ranks[1];
  heavy.peak_allocated_bytes += 30 * kMiB;
  heavy.peak_categories[static_cast<std::size_t>(Category::kActivation)] += 30 * kMiB;
  heavy.shares.front().bytes += 10 * kMiB;
  heavy.shares.push_back({Category::kActivation, "saved", "blocks.1", 20 * kMiB});
  const Imbalance found = find_imbalance(ranks);
  EXPECT_EQ(found.heaviest, 1u);
  EXPECT_NE(found.typical, 1u);
  EXPECT_EQ(found.spread_bytes, static_cast<std::uint64_t>(30 * kMiB));
  EXPECT_EQ(found.by_category[static_cast<std::size_t>(Category::kActivation)], 30 * kMiB);
  EXPECT_EQ(found.by_category[static_cast<std::size_t>(Category::kParameter)], 0);
  ASSERT_EQ(found.shares.size(), 2u);
  EXPECT_EQ(found.shares[0].layer, "blocks.1");
  EXPECT_EQ(found.shares[0].bytes, 20 * kMiB);
  EXPECT_EQ(found.shares[1].layer, "blocks.0");
  EXPECT_EQ(found.shares[1].bytes, 10 * kMiB);
}

TEST(Imbalance, OneRankIsItsOwnTypicalOne) {
  const Imbalance found = find_imbalance(job_of_ranks({.ranks = 1}));
  EXPECT_EQ(found.heaviest, found.typical);
  EXPECT_EQ(found.spread_bytes, 0u);
}

}  // namespace
}  // namespace strata::analysis
