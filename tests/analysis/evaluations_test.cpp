// SPDX-License-Identifier: Apache-2.0
// What a program holds of its evaluations, and which blocks belong to them; with a few phases and blocks.
#include "host/analysis/peak/evaluations.hpp"
#include "host/analysis/facts/facts.hpp"
#include "host/analysis/peak/residue.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "host/analysis/peak/findings.hpp"
#include "host/analysis/peak/listed_outputs.hpp"
#include "strata/ext/phase.h"

namespace strata::analysis {
namespace {

// In each step forward, backward, optimizer and the gap to the next step take 10 each: forward from 10,
// backward from 20, optimizer from 30, nothing from 40, the next step's forward from 50.
class EvaluationsTest : public ::testing::Test {
 protected:
  EvaluationsTest() {
    facts_.texts = {"", "head", "aten::cat"};
    for (std::uint64_t step = 0; step < 4; ++step) {
      const std::uint64_t begin = 10 + step * 40;
      facts_.steps.push_back(
          {.index = static_cast<std::int64_t>(step), .begin_sequence = begin, .end_sequence = begin + 40});
      phase(STRATA_PHASE_FORWARD, begin);
      phase(STRATA_PHASE_BACKWARD, begin + 10);
      phase(STRATA_PHASE_OPTIMIZER, begin + 20);
    }
  }

  void phase(std::uint32_t kind, std::uint64_t begin) {
    PhaseFact added;
    added.kind = kind;
    added.begin_sequence = begin;
    added.end_sequence = begin + 10;
    facts_.phases.push_back(added);
  }

  // `phase` is the phase's number from 1, or 0 between phases.
  const Block& born(std::uint64_t birth, std::uint64_t death, BlockKind kind, std::uint32_t of_phase = 0) {
    Block block;
    block.bytes = 100;
    block.birth_sequence = birth;
    block.death_sequence = death;
    block.category = kind == BlockKind::kOpTemp ? Category::kTemporary : Category::kActivation;
    block.kind = kind;
    block.layer = 1;
    block.phase = of_phase;
    facts_.blocks.push_back(block);
    return facts_.blocks.back();
  }

  bool made(std::size_t block) const { return Evaluations(facts_).made(facts_.blocks.at(block)); }

  Facts facts_;
};

// As with BERT's token types, which are gathered before its first embedding.
TEST_F(EvaluationsTest, WhatTheNextForwardBeginsWithIsNoOutputThatItNeeds) {
  facts_.texts.insert(facts_.texts.end(), {"embeddings", "embeddings.words"});
  born(42, 45, BlockKind::kOpTemp);
  born(49, 65, BlockKind::kForwardResidue);
  facts_.blocks.back().layer = 3;
  born(51, 65, BlockKind::kSaved, 4);
  facts_.blocks.back().layer = 1;
  EXPECT_FALSE(made(0)) << "an output that is needed";
  facts_.blocks.back().layer = 4;
  EXPECT_TRUE(made(0));
  EXPECT_EQ(Evaluations(facts_).phase_at(42), "evaluation");
}

TEST_F(EvaluationsTest, MadeWhatAModuleLeavesBehindAnOptimizer) {
  born(42, 44, BlockKind::kOpTemp);
  born(45, 125, BlockKind::kForwardResidue);
  EXPECT_TRUE(made(0));
  EXPECT_TRUE(made(1));
}

// As in DistributedDataParallel, which rebuilds its buckets before its module runs.
TEST_F(EvaluationsTest, AreNoneWhereTheModelItselfBeginsItsForward) {
  facts_.texts.insert(facts_.texts.end(), {"(model)", "module.0"});
  born(42, 43, BlockKind::kOpTemp);
  facts_.blocks.back().layer = 3;
  born(51, 60, BlockKind::kSaved, 4);
  facts_.blocks.back().layer = 4;
  EXPECT_FALSE(made(0));
  EXPECT_EQ(Evaluations(facts_).phase_at(45), "");
  facts_.blocks.front().layer = 4;  // one of its layers, which also starts the forward
  EXPECT_FALSE(made(0));
  facts_.blocks.front().layer = 1;
  EXPECT_EQ(Evaluations(facts_).phase_at(45), "evaluation");
}

TEST_F(EvaluationsTest, AreAPhaseWhereTheyAreUnderWay) {
  EXPECT_EQ(Evaluations(facts_).phase_at(43), "") << "between two steps";
  born(42, 44, BlockKind::kOpTemp);
  EXPECT_EQ(Evaluations(facts_).phase_at(43), "evaluation");
  EXPECT_EQ(Evaluations(facts_).phase_at(83), "") << "between two others";
}

TEST_F(EvaluationsTest, AreNoneWhereAModelIsSetUp) {
  born(2, 4, BlockKind::kOpTemp);
  EXPECT_EQ(Evaluations(facts_).phase_at(3), "evaluation") << "before the first step";
  facts_.blocks.back().layer = 0;
  facts_.texts.emplace_back("aten::mm");
  facts_.blocks.back().op = 3;
  EXPECT_EQ(Evaluations(facts_).phase_at(3), "");
}

TEST_F(EvaluationsTest, AreNoneWithinAnOptimizerThatCallsAClosure) {
  facts_.phases = {};
  phase(STRATA_PHASE_OPTIMIZER, 10);
  facts_.phases.back().end_sequence = 60;
  phase(STRATA_PHASE_FORWARD, 20);
  phase(STRATA_PHASE_BACKWARD, 30);
  born(64, 66, BlockKind::kOpTemp);
  EXPECT_EQ(Evaluations(facts_).phase_at(45), "");
  EXPECT_EQ(Evaluations(facts_).phase_at(65), "evaluation");
}

TEST_F(EvaluationsTest, MadeTheirLossToo) {
  born(42, 44, BlockKind::kOpTemp);
  born(43, 44, BlockKind::kOpTemp);
  facts_.blocks.back().layer = 0;
  EXPECT_TRUE(made(1));
  facts_.blocks.front().layer = 0;  // outside any module
  EXPECT_FALSE(made(1));
  facts_.texts.emplace_back("aten::addmm");  // and the run has no modules
  facts_.blocks.front().op = 3;
  EXPECT_TRUE(made(1));
}

TEST_F(EvaluationsTest, MadeNothingThatTheNextForwardIsGiven) {
  born(42, 44, BlockKind::kOpTemp);
  born(45, 75, BlockKind::kForwardResidue);  // a teacher's output, freed in the next optimizer
  EXPECT_FALSE(made(0));
  EXPECT_FALSE(made(1));
}

TEST_F(EvaluationsTest, MadeNothingBetweenAForwardAndItsBackward) {
  facts_.phases[0].end_sequence = 14;  // marked, and without the loss
  born(16, 18, BlockKind::kOpTemp);
  EXPECT_FALSE(made(0));
}

TEST_F(EvaluationsTest, MadeWhatIsBornInAPhaseOfTheirs) {
  phase(STRATA_PHASE_EVALUATION, 160);
  born(162, 164, BlockKind::kOpTemp, static_cast<std::uint32_t>(facts_.phases.size()));
  born(162, 164, BlockKind::kSaved, static_cast<std::uint32_t>(facts_.phases.size()));
  EXPECT_TRUE(made(0));
  EXPECT_FALSE(made(1));
}

TEST_F(EvaluationsTest, LeaveWhatMayGoFromTheNextStepOn) {
  born(45, 125, BlockKind::kForwardResidue);
  born(15, 58, BlockKind::kForwardResidue,
       1);                                   // in a variable that the next forward reassigns
  born(45, 75, BlockKind::kForwardResidue);  // needed by the next step's loss
  const Residue residue(facts_);
  const LaterSteps later_steps(facts_);
  EXPECT_EQ(later_steps.begin_for(facts_.blocks[0]), 50U);
  EXPECT_EQ(later_steps.begin_for(facts_.blocks[1]), 50U);
  EXPECT_EQ(later_steps.begin_for(facts_.blocks[2]), UINT64_MAX);
  EXPECT_EQ(residue.may_go(facts_.blocks[0], 48, nullptr), MayGo::kNotYet);
  EXPECT_EQ(residue.may_go(facts_.blocks[0], 52, nullptr), MayGo::kBeforeNextStep);
  EXPECT_EQ(residue.may_go(facts_.blocks[1], 35, &facts_.phases[2]), MayGo::kBeforeOptimizer);
  EXPECT_EQ(residue.may_go(facts_.blocks[1], 43, nullptr), MayGo::kBeforeOptimizer) << "in an evaluation";
  EXPECT_EQ(residue.may_go(facts_.blocks[1], 28, nullptr), MayGo::kNotYet)
      << "between backward and optimizer";
}

TEST_F(EvaluationsTest, AreFoundWithWhatTheyHold) {
  facts_.is_configured = false;
  born(42, 44, BlockKind::kOpTemp);
  Peak moment;
  moment.sequence = 43;
  const auto found = findings_at(facts_, moment, 1);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].kind, FindingKind::kEvaluation);
  EXPECT_EQ(found[0].bytes, 100U);
}

TEST_F(EvaluationsTest, LeaveLogitsThatASoftmaxWasMadeOf) {
  facts_.texts.insert(facts_.texts.end(), {"aten::mm", "aten::_log_softmax"});
  born(12, 58, BlockKind::kForwardResidue, 1);
  facts_.blocks.back().op = 3;
  born(13, 28, BlockKind::kSaved, 1);
  facts_.blocks.back().op = 4;
  born(13, 58, BlockKind::kForwardResidue, 1);
  facts_.blocks.back().op = 4;
  const Residue residue(facts_);
  EXPECT_EQ(residue.may_go(facts_.blocks[0], 15, &facts_.phases[0]), MayGo::kNotYet);
  EXPECT_EQ(residue.may_go(facts_.blocks[0], 25, &facts_.phases[1]), MayGo::kBeforeBackward);
  EXPECT_EQ(residue.may_go(facts_.blocks[2], 25, &facts_.phases[1]), MayGo::kNotYet) << "the softmax itself";
  born(54, 68, BlockKind::kSaved, 4);  // of an interrupted backward: what needs it is unknown
  facts_.blocks.back().op = 3;
  EXPECT_EQ(Residue(facts_).may_go(facts_.blocks.back(), 65, &facts_.phases[4]), MayGo::kNotYet);
}

// After the last optimizer, which ends at 160.
class ListedOutputsTest : public EvaluationsTest {
 protected:
  ListedOutputsTest() { facts_.texts.emplace_back("body"); }
  // Allocated after the output of another module.
  void output(std::uint64_t birth, std::uint64_t death, std::uint64_t bytes = 100) {
    born(birth - 1, birth, BlockKind::kOpTemp);
    facts_.blocks.back().layer = 3;
    born(birth, death, BlockKind::kForwardResidue);
    facts_.blocks.back().bytes = bytes;
  }
  std::size_t held() const {
    const ListedOutputs listed(facts_, Evaluations(facts_));
    std::size_t count = 0;
    for (std::size_t index = 0; index < facts_.blocks.size(); ++index) count += listed.holds(index) ? 1 : 0;
    return count;
  }
};

TEST_F(ListedOutputsTest, AreThereAtOnceAndGoTogether) {
  output(170, 200);
  output(172, 201);
  output(175, 210, 60);  // the last batch, in a variable until the next evaluation
  EXPECT_EQ(held(), 3U);
}

TEST_F(ListedOutputsTest, OfARunThatWasCutShortAreAllThereIs) {
  for (const std::uint64_t birth : {170U, 172U, 175U, 180U}) output(birth, UINT64_MAX);
  EXPECT_EQ(held(), 4U);
}

TEST_F(ListedOutputsTest, AreFoundTogether) {
  facts_.is_configured = false;
  for (const std::uint64_t birth : {170U, 172U, 175U, 180U}) output(birth, UINT64_MAX);
  Peak moment;
  moment.sequence = 190;
  const auto found = findings_at(facts_, moment, 1);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].kind, FindingKind::kListedOutputs);
  EXPECT_EQ(found[0].bytes, 400U);
  EXPECT_EQ(std::get<OutputsFinding>(found[0].detail).blocks, 4U);
}

TEST_F(ListedOutputsTest, AreNoneInOneVariable) {
  for (const std::uint64_t birth : {170U, 180U, 190U, 200U}) output(birth, birth + 11);
  EXPECT_EQ(held(), 0U);
}

TEST_F(ListedOutputsTest, AreNoCacheWhoseEntriesAreReplaced) {
  for (const std::uint64_t birth : {170U, 172U, 174U}) output(birth, birth + 11);
  for (const std::uint64_t birth : {180U, 182U, 184U}) born(birth, UINT64_MAX, BlockKind::kOpTemp);
  EXPECT_EQ(held(), 0U);
}

TEST_F(ListedOutputsTest, AreNotWhatOneModuleMakesAtOnce) {
  for (const std::uint64_t birth : {170U, 171U, 172U}) born(birth, 180, BlockKind::kOpTemp);
  EXPECT_EQ(held(), 0U);
}

TEST_F(ListedOutputsTest, WithoutModulesEightTellThem) {
  facts_.texts.emplace_back("aten::mm");
  for (std::uint64_t count = 0; count < 8; ++count) {
    EXPECT_EQ(held(), 0U) << count;
    for (const bool is_hidden : {true, false}) {
      born(170 + 2 * count + (is_hidden ? 0 : 1), is_hidden ? 172 + 2 * count : UINT64_MAX,
           BlockKind::kOpTemp);
      facts_.blocks.back().op = 4;
      facts_.blocks.back().layer = 0;
      facts_.blocks.back().bytes = is_hidden ? 50 : 100;
    }
  }
  EXPECT_EQ(held(), 8U);
  for (Block& block : facts_.blocks) block.op = 2;
  EXPECT_EQ(held(), 0U) << "what aten::cat makes may be a cache";
}

TEST_F(ListedOutputsTest, AreNoTrainings) {
  for (const std::uint64_t birth : {10U, 11U, 12U}) born(birth, UINT64_MAX, BlockKind::kForwardResidue, 1);
  EXPECT_EQ(held(), 0U);
}

}  // namespace
}  // namespace strata::analysis
