// SPDX-License-Identifier: Apache-2.0
#include "host/report/plot/remaining_states.hpp"

#include <gtest/gtest.h>

#include "host/analysis/peak/largest_blocks.hpp"
#include "tests/report/simulated_training.hpp"

namespace strata::report::plot {
namespace {

TEST(RemainingStates, HoldWhatIsAliveOfTheLargest) {
  const auto facts = report::testing::simulate({.steps = 3, .first_active_step = 1, .layers = 4});
  const auto largest = largest_blocks(facts, 0.1);
  const auto levels = remaining_states(facts, largest.blocks, facts.points);
  ASSERT_EQ(levels.size(), facts.points.size());
  for (std::size_t at = 0; at < levels.size(); ++at) {
    analysis::CategoryBytes expected{};
    for (const auto& block : facts.blocks) {
      const auto sequence = facts.points[at].sequence;
      if (block.bytes >= largest.least_bytes && block.birth_sequence <= sequence &&
          sequence < block.death_sequence)
        expected.at(static_cast<std::size_t>(block.category)) += block.bytes;
    }
    ASSERT_EQ(levels[at], expected) << at;
    for (std::size_t category = 0; category < expected.size(); ++category)
      ASSERT_LE(levels[at].at(category), facts.points[at].bytes.at(category));
  }
}

TEST(RemainingStates, OfAllAreTheStatesThemselves) {
  const auto facts = report::testing::simulate({.steps = 2, .first_active_step = 1, .layers = 1});
  const auto levels = remaining_states(facts, largest_blocks(facts, 1.0).blocks, facts.points);
  for (std::size_t at = 0; at < levels.size(); ++at) ASSERT_EQ(levels[at], facts.points[at].bytes);
}

}  // namespace
}  // namespace strata::report::plot
