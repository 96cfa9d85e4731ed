// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/stacks/stacks_alive.hpp"
#include "host/analysis/facts/facts.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "host/report/terminal/stack_lines.hpp"

namespace strata::analysis {
namespace {

Facts three_blocks() {
  Facts facts;
  const auto add = [&](std::uint64_t birth, std::uint64_t death, std::uint64_t bytes) {
    Block block;
    block.birth_sequence = birth;
    block.death_sequence = death;
    block.bytes = bytes;
    facts.blocks.push_back(block);
  };
  add(1, 100, 1000);
  add(2, 100, 500);
  add(3, 5, 7777);  // freed by then
  add(4, 100, 40);
  facts.call_stacks.addresses = {{0x10}, {0x20}};
  facts.call_stacks.taken = {{1, 0, 1.0}, {2, 1, 0.25}, {3, 0, 1.0}};
  facts.peak.sequence = 10;
  return facts;
}

TEST(StacksAlive, SumsUpAndEstimates) {
  const Facts facts = three_blocks();
  const StacksAlive alive = stacks_alive(facts.blocks, facts.call_stacks, 10);
  ASSERT_EQ(alive.shares.size(), 2u);
  EXPECT_EQ(alive.shares[0].stack, 1u);  // its estimate is larger
  EXPECT_EQ(alive.shares[0].bytes, 500u);
  EXPECT_EQ(alive.shares[0].estimated_bytes, 2000.0);
  EXPECT_NEAR(alive.shares[0].standard_error_bytes, std::sqrt(500.0 * 500 * 0.75 / 0.0625), 1e-6);
  EXPECT_EQ(alive.shares[1].estimated_bytes, 1000.0);
  EXPECT_EQ(alive.shares[1].standard_error_bytes, 0.0);
  EXPECT_EQ(alive.bytes, 1540u);
  EXPECT_EQ(alive.bytes_without, 40u);
  EXPECT_EQ(alive.blocks_without, 1u);
  EXPECT_TRUE(alive.sampled);
}

TEST(StacksAlive, PrintsWithTheirError) {
  const std::string text = report::stacks_at_peak(three_blocks(), 1, false, 80);
  EXPECT_NE(text.find("the 1 largest of 2"), std::string::npos) << text;
  EXPECT_NE(text.find("±"), std::string::npos) << text;
  EXPECT_NE(text.find("0x1f"), std::string::npos) << text;  // the call before 0x20
}

TEST(StacksAlive, SaysHowToHaveStacks) {
  const std::string text = report::stacks_at_peak(Facts{}, 10, false, 80);
  EXPECT_NE(text.find("stacks_above_mib"), std::string::npos) << text;
}

}  // namespace
}  // namespace strata::analysis
