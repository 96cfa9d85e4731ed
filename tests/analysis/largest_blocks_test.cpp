// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/peak/largest_blocks.hpp"
#include "host/analysis/facts/facts.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace strata::analysis {
namespace {

Facts facts_of_sizes(const std::vector<std::uint64_t>& sizes) {
  Facts facts;
  for (const std::uint64_t bytes : sizes) {
    Block block;
    block.bytes = bytes;
    block.birth_sequence = facts.blocks.size() + 1;
    facts.blocks.push_back(block);
  }
  return facts;
}

TEST(LargestBlocks, AreTheTenthOfAllThatIsLargest) {
  std::vector<std::uint64_t> sizes;
  for (std::uint64_t i = 0; i < 100; ++i) sizes.push_back((i * 37) % 100 + 1);
  const LargestBlocks largest = largest_blocks(facts_of_sizes(sizes), 0.1);
  EXPECT_EQ(largest.least_bytes, 91U);
  ASSERT_EQ(largest.blocks.size(), 10U);
  for (std::uint64_t i = 0; i < 10; ++i) EXPECT_EQ(sizes[largest.blocks[i]], 100 - i);
  EXPECT_EQ(largest.bytes, 955U);
  EXPECT_EQ(largest.all_blocks, 100U);
  EXPECT_EQ(largest.all_bytes, 5050U);
}

TEST(LargestBlocks, TakeInAllThatAreAsLargeAsTheLast) {
  const LargestBlocks largest = largest_blocks(facts_of_sizes({5, 9, 5, 1, 5, 1, 1, 1, 1, 1}), 0.2);
  EXPECT_EQ(largest.least_bytes, 5U);
  EXPECT_EQ(largest.blocks, (std::vector<std::uint32_t>{1, 0, 2, 4}));
}

TEST(LargestBlocks, AreAtLeastOneAndAtMostAll) {
  const Facts facts = facts_of_sizes({3, 2, 1});
  EXPECT_EQ(largest_blocks(facts, 1e-9).blocks, (std::vector<std::uint32_t>{0}));
  EXPECT_EQ(largest_blocks(facts, 1.0).blocks.size(), 3U);
  EXPECT_TRUE(largest_blocks({}, 0.5).blocks.empty());
}

TEST(LargestBlocks, RefuseADetailThatIsNoPart) {
  for (const double detail : {0.0, -0.1, 1.1, std::numeric_limits<double>::quiet_NaN()})
    EXPECT_THROW(largest_blocks({}, detail), std::invalid_argument) << detail;
}

}  // namespace
}  // namespace strata::analysis
