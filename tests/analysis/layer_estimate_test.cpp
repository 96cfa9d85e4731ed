// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/checks/layer_estimate.hpp"

#include <gtest/gtest.h>

#include <initializer_list>
#include <string_view>
#include <utility>

#include "host/analysis/analyse.hpp"
#include "strata/ext/phase.h"
#include "tests/analysis/training_run.hpp"

namespace strata::analysis {
namespace {

// Operators that return in the middle of the run's forwards, starting with the second.
Recording run_with(std::initializer_list<std::pair<std::string_view, std::uint64_t>> outputs) {
  Recording run = testing::make_training_run().recording;
  int forwards = 0;
  for (const PhaseRow& phase : run.phases) {
    if (phase.kind != STRATA_PHASE_FORWARD || ++forwards < 2) continue;
    for (const auto& [name, bytes] : outputs)
      run.layer_outputs.push_back({(phase.begin_ns + phase.end_ns) / 2, run.texts.add(name), bytes});
  }
  return run;
}

TEST(LayerEstimate, SumsUpLayersOfTheFirstForwardThatWasLookedAt) {
  const Facts facts =
      analyse(run_with({{"aten::linear", 100}, {"aten::view", 7}, {"aten::linear", 20}, {"aten::gelu", 3}}));
  ASSERT_TRUE(facts.layer_estimate.has_value());
  EXPECT_EQ(facts.layer_estimate->bytes, 123u);
  ASSERT_EQ(facts.layer_estimate->by_op.size(), 2u);
  EXPECT_EQ(facts.layer_estimate->by_op.front().label, "aten::linear");
  EXPECT_EQ(facts.layer_estimate->by_op.front().bytes, 120u);
  EXPECT_EQ(facts.layer_estimate->by_op.front().blocks, 2u);
  EXPECT_GT(facts.layer_estimate->saved_bytes, 0u);
  EXPECT_GE(facts.layer_estimate->activation_bytes, facts.layer_estimate->saved_bytes);
}

TEST(LayerEstimate, IsNoneWithoutOperatorsOrOutsideOfForwards) {
  EXPECT_FALSE(analyse(testing::make_training_run().recording).layer_estimate.has_value());
  Recording run = testing::make_training_run().recording;
  run.layer_outputs.push_back({run.begin_ns, run.texts.add("aten::linear"), 100});
  EXPECT_FALSE(analyse(run).layer_estimate.has_value());
}

}  // namespace
}  // namespace strata::analysis
