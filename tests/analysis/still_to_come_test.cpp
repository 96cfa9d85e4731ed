// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/peak/still_to_come.hpp"

#include <gtest/gtest.h>

#include <string>

#include "strata/ext/phase.h"

namespace strata::analysis {
namespace {

class StateToComeTest : public ::testing::Test {
 protected:
  StateToComeTest() {
    facts_.texts = {""};
    failure_.held.sequence = 50;
    optimizer(20);
    trained("a.weight", 100);
    trained("b.weight", 300);
  }

  void optimizer(std::uint64_t begin_sequence) {
    PhaseFact& phase = facts_.phases.emplace_back();
    phase.kind = STRATA_PHASE_OPTIMIZER;
    phase.begin_sequence = begin_sequence;
    phase.end_sequence = UINT64_MAX;
  }

  Block& alive(const std::string& name, std::uint64_t bytes, Category category) {
    Block& block = facts_.blocks.emplace_back();
    block.bytes = bytes;
    block.birth_sequence = 10;
    block.category = category;
    block.name = static_cast<std::uint32_t>(facts_.texts.size());
    facts_.texts.push_back(name);
    return block;
  }

  void trained(const std::string& name, std::uint64_t bytes) {
    alive(name, bytes, Category::kParameter);
    alive(name + ".grad", bytes, Category::kGradient);
  }

  void state(const std::string& name, std::uint64_t bytes) { alive(name, bytes, Category::kOptimizerState); }

  std::uint64_t to_come() const { return state_to_come(facts_, failure_); }

  Facts facts_;
  OutOfMemory failure_;
};

TEST_F(StateToComeTest, IsWhatOthersHaveForEachByte) {
  state("a.weight.exp_avg", 100);
  state("a.weight.exp_avg_sq", 100);
  EXPECT_EQ(to_come(), 600u);
}

TEST_F(StateToComeTest, IsLessWhatIsMadeOfAParametersState) {
  state("a.weight.exp_avg", 100);
  state("a.weight.exp_avg_sq", 100);
  state("b.weight.exp_avg", 300);
  EXPECT_EQ(to_come(), 300u);
  state("b.weight.exp_avg_sq", 300);
  EXPECT_EQ(to_come(), 0u);
}

TEST_F(StateToComeTest, IsNoneOfAParameterWithoutGradient) {
  alive("frozen", 5000, Category::kParameter);
  state("a.weight.momentum_buffer", 100);
  EXPECT_EQ(to_come(), 300u);
}

TEST_F(StateToComeTest, IsNotKnownBeforeAnyIsThere) {
  EXPECT_EQ(to_come(), 0u);
}

TEST_F(StateToComeTest, IsOfTheFirstStepAlone) {
  state("a.weight.exp_avg", 100);
  EXPECT_EQ(to_come(), 300u);
  facts_.phases.front().end_sequence = 30;
  optimizer(40);
  EXPECT_EQ(to_come(), 0u) << "what has no state by then gets none";
  facts_.phases.clear();
  EXPECT_EQ(to_come(), 0u);
}

class PassToComeTest : public StateToComeTest {
 protected:
  PassToComeTest() {
    facts_.texts.emplace_back("aten::_foreach_sqrt");
    failure_.op = static_cast<std::uint32_t>(facts_.texts.size() - 1);
  }

  void made(std::uint64_t bytes, std::uint64_t birth_sequence) {
    Block& block = facts_.blocks.emplace_back();
    block.bytes = bytes;
    block.birth_sequence = birth_sequence;
    block.category = Category::kTemporary;
    block.op = failure_.op;
  }

  std::uint64_t pass() const { return pass_to_come(facts_, failure_); }
};

TEST_F(PassToComeTest, IsWhatTrainedParametersHaveLessWhatIsMade) {
  alive("frozen", 5000, Category::kParameter);
  EXPECT_EQ(pass(), 400u);
  made(100, 30);
  EXPECT_EQ(pass(), 300u);
  made(300, 19);
  EXPECT_EQ(pass(), 300u) << "of the step before";
  made(900, 31);
  EXPECT_EQ(pass(), 0u);
}

TEST_F(PassToComeTest, IsOfAnOptimizersStepAlone) {
  facts_.phases.front().kind = STRATA_PHASE_BACKWARD;
  EXPECT_EQ(pass(), 0u);
}

TEST_F(PassToComeTest, IsOfAnOperatorOverAListAlone) {
  facts_.texts.emplace_back("aten::sqrt");
  failure_.op = static_cast<std::uint32_t>(facts_.texts.size() - 1);
  EXPECT_EQ(pass(), 0u);
}

TEST_F(StateToComeTest, OfAdamIsTwiceWhatIsTrainedBeforeAnyHasStepped) {
  facts_.phases.clear();
  EXPECT_EQ(adam_to_come(facts_, failure_), 0u) << "outside of a training's step";
  failure_.held.step = 0;
  EXPECT_EQ(adam_to_come(facts_, failure_), 800u);
  Block& frozen = alive("frozen", 5000, Category::kParameter);
  frozen.kind = "parameter";
  frozen.is_frozen = true;
  EXPECT_EQ(adam_to_come(facts_, failure_), 800u);
  optimizer(60);
  EXPECT_EQ(adam_to_come(facts_, failure_), 800u) << "begun later";
  optimizer(20);
  EXPECT_EQ(adam_to_come(facts_, failure_), 0u);
  facts_.phases.clear();
  failure_.held.categories[static_cast<std::size_t>(Category::kOptimizerState)] = 1;
  EXPECT_EQ(adam_to_come(facts_, failure_), 0u) << "stepped before anything was recorded";
}

// Its first backward ran out, and had not come to all of them.
TEST_F(StateToComeTest, OfAdamIsOfAllThatIsNotFrozenBeforeAnyHasStepped) {
  facts_.phases.clear();
  facts_.blocks.clear();
  failure_.held.step = 0;
  for (const char* const name : {"a.weight", "b.weight"})
    alive(name, 100, Category::kParameter).kind = "parameter";
  alive("b.weight.grad", 100, Category::kGradient);
  EXPECT_EQ(adam_to_come(facts_, failure_), 400u);
  facts_.blocks.front().is_frozen = true;
  EXPECT_EQ(adam_to_come(facts_, failure_), 200u);
}

TEST_F(StateToComeTest, GradientsAreWhereAStepHasSeveralMicroBatches) {
  facts_.phases.clear();
  facts_.blocks.clear();
  alive("a.weight", 100, Category::kParameter).kind = "parameter";
  const auto forward = [&](std::uint64_t begin, std::uint64_t end, std::uint32_t micro_batch) {
    PhaseFact& phase = facts_.phases.emplace_back();
    phase.kind = STRATA_PHASE_FORWARD;
    phase.begin_sequence = begin;
    phase.end_sequence = end;
    phase.micro_batch = micro_batch;
  };
  forward(10, 60, 0);
  EXPECT_EQ(gradients_to_come(facts_, failure_), 0u) << "one alone";
  forward(70, 80, 1);
  EXPECT_EQ(gradients_to_come(facts_, failure_), 100u);
  failure_.held.categories[static_cast<std::size_t>(Category::kGradient)] = 40;
  EXPECT_EQ(gradients_to_come(facts_, failure_), 60u);
  facts_.phases.front().kind = STRATA_PHASE_OPTIMIZER;
  EXPECT_EQ(gradients_to_come(facts_, failure_), 0u) << "outside of a forward and backward";
}

TEST_F(StateToComeTest, OfAdamIsOfAllButAveragesWhereNothingHasAGradient) {
  facts_.phases.clear();
  facts_.blocks.clear();
  failure_.held.step = 0;
  alive("a.weight", 100, Category::kParameter);
  alive("average.a.weight", 100, Category::kParameter).kind = "ema";
  EXPECT_EQ(adam_to_come(facts_, failure_), 200u);
}

class NextStepTest : public StateToComeTest {
 protected:
  // The highest moment of a category, as many bytes at `sequence`.
  void point(std::uint64_t sequence, std::uint64_t activations, std::uint64_t state) {
    Point& added = facts_.points.emplace_back();
    added.sequence = sequence;
    added.bytes[static_cast<std::size_t>(Category::kActivation)] = activations;
    added.bytes[static_cast<std::size_t>(Category::kOptimizerState)] = state;
  }
};

TEST_F(NextStepTest, TakesTheMostOfThisOneBesideTheState) {
  facts_.steps.emplace_back().begin_sequence = 5;
  failure_.held.step = 0;
  failure_.held.categories[static_cast<std::size_t>(Category::kOptimizerState)] = 200;
  failure_.state_to_come_bytes = 600;
  point(2, 9000, 0);
  point(4, 100, 0);
  point(15, 5000, 50);
  point(18, 400, 50);
  point(30, 7000, 200);
  EXPECT_EQ(next_step(facts_, failure_), 5000U + 800U)
      << "of setup nothing comes again, and state that was there is counted once";
  facts_.phases.front().end_sequence = 40;
  EXPECT_EQ(next_step(facts_, failure_), 0U) << "outside of an optimizer's step";
  facts_.phases.front().end_sequence = UINT64_MAX;
  facts_.points.clear();
  EXPECT_EQ(next_step(facts_, failure_), 0U);
}

}  // namespace
}  // namespace strata::analysis
