// SPDX-License-Identifier: Apache-2.0
// Remedies of a run that went on: its other moments bound what they are worth.
#include <algorithm>
#include <cstddef>
#include <utility>

#include "tests/analysis/remedies_fixture.hpp"

namespace strata::analysis {
namespace {

// Four blocks' activations, which hand on next to nothing, above a weight, and behind them an optimizer's
// temporaries.
class RemediesOfARunTest : public RemediesTest {
 protected:
  RemediesOfARunTest() {
    const std::uint32_t sum = text("aten::add");
    for (const char* layer : {"layers.0", "layers.1", "layers.2", "layers.3"}) {
      alive(1000, Category::kActivation, "saved", layer).death_sequence = 60;
      Block& handed_on = alive(0, Category::kActivation, "saved", layer);
      handed_on.op = sum;
      handed_on.death_sequence = 60;
    }
    alive(500, Category::kParameter, "parameter");
    alive(500, Category::kGradient, "gradient");
    phase(STRATA_PHASE_BACKWARD, 20, 60);
    phase(STRATA_PHASE_OPTIMIZER, 65, 90);
    facts_.phases[1].name = "backward";
    facts_.phases[2].name = "AdamW.step";
    Block temporaries;
    temporaries.bytes = 1500;
    temporaries.birth_sequence = 70;
    temporaries.death_sequence = 80;
    temporaries.category = Category::kTemporary;
    temporaries.kind = "optimizer_temp";
    facts_.blocks.push_back(temporaries);
    for (const auto& [sequence, bytes] :
         {std::pair{50U, 5000U}, std::pair{60U, 1000U}, std::pair{70U, 2500U}, std::pair{80U, 1000U}}) {
      Point& point = facts_.points.emplace_back();
      point.sequence = sequence;
      point.bytes[0] = bytes;
    }
  }

  // Blocks are in the order of their births.
  void move_last_to(std::ptrdiff_t index) {
    std::rotate(facts_.blocks.begin() + index, facts_.blocks.end() - 1, facts_.blocks.end());
  }

  const Remedy* find_within(std::string_view word, std::uint64_t budget_bytes) {
    failure_.requested_bytes = 5000 - budget_bytes;
    failure_.device_free_bytes = 0;
    remedies_ = find_remedies(facts_, failure_, Recorded::kWhole);
    return first_of(word);
  }
};

TEST_F(RemediesOfARunTest, GainNoMoreThanTheDistanceToTheNextPeak) {
  const Remedy* const remedy = find_within("checkpointing", 2400);
  ASSERT_NE(remedy, nullptr);
  EXPECT_EQ(remedy->bytes, 2500u) << "of the 3000 that three blocks saved";
  ASSERT_TRUE(remedy->peak_then.has_value());
  EXPECT_EQ(remedy->peak_then->bytes, 2500u);
  EXPECT_EQ(remedy->peak_then->phase, "AdamW.step");
  EXPECT_FALSE(remedy->enough);
  EXPECT_TRUE(find_within("checkpointing", 2500)->enough);
}

TEST_F(RemediesOfARunTest, LeaveThePeakWhereItIsIfItIsStillTheHighest) {
  const Remedy* const remedy = find_within("half the batch", 2900);
  ASSERT_NE(remedy, nullptr);
  EXPECT_EQ(remedy->bytes, 2000u);
  EXPECT_EQ(remedy->peak_then->bytes, 3000u);
  EXPECT_EQ(remedy->peak_then->phase, "backward");
  EXPECT_FALSE(remedy->enough);
}

TEST_F(RemediesOfARunTest, AreNoneWhereTheyLowerAnotherMomentAlone) {
  EXPECT_EQ(find_within("fused", 2400), nullptr);
}

TEST_F(RemediesOfARunTest, NoBlockIsThereAgainWhileTheLossGoesBackward) {
  Block gradient = alive(2000, Category::kAutogradDetail, "flowing");
  gradient.op = text("aten::_log_softmax_backward_data");
  gradient.death_sequence = 55;
  facts_.blocks.back() = gradient;
  move_last_to(8);
  facts_.points.front().bytes[0] = 7000;
  const Point after = {.sequence = 55, .bytes = {5000}};
  facts_.points.insert(facts_.points.begin() + 1, after);
  const Remedy* const remedy = find_within("checkpointing", 2400);
  ASSERT_NE(remedy, nullptr);
  EXPECT_EQ(remedy->bytes, 4000u) << "of what all four saved";
}

// Without anything saved what an op reads and makes is there.
TEST_F(RemediesOfARunTest, ForwardACheckpointedBlockSavesNothing) {
  facts_.phases[1].kind = STRATA_PHASE_FORWARD;
  facts_.blocks.back().bytes = 0;
  facts_.points[2].bytes[0] = 0;
  for (const std::uint64_t bytes : {100U, 200U, 300U}) {
    alive(bytes, Category::kActivation, "saved", "layers.3").death_sequence = 60;
    move_last_to(7);
  }
  facts_.points.front().bytes[0] = 5600;
  const Remedy* const remedy = find_within("checkpointing", 400);
  ASSERT_NE(remedy, nullptr);
  EXPECT_EQ(remedy->bytes, 4600u - 1300u) << "the block's two largest stay";
}

// Checkpoints leave the optimizer's temporaries as the highest moment; a fused one gains nothing at the peak.
TEST_F(RemediesOfARunTest, TwoThatAreEnoughTogetherAreSaid) {
  facts_.is_configured = true;
  const Remedy* const both = find_within("+", 2400);
  ASSERT_NE(both, nullptr);
  EXPECT_EQ(both, &remedies_.front());
  EXPECT_TRUE(both->enough);
  EXPECT_EQ(both->change,
            "checkpointed blocks (checkpointing: block) + a fused optimizer (optimizer.impl: fused)");
  EXPECT_EQ(both->bytes, 3000u);
  EXPECT_EQ(both->peak_then->bytes, 2000u);
  EXPECT_EQ(both->peak_then->phase, "backward");
  EXPECT_EQ(find_within("+", 2500), nullptr) << "checkpoints are enough by themselves";
}

TEST_F(RemediesOfARunTest, ThreeThatAreEnoughTogetherAreSaid) {
  const Remedy* const all = find_within("+", 1600);
  ASSERT_NE(all, nullptr) << "half of what checkpoints leave, 500 of 1000, and the temporaries";
  EXPECT_EQ(all->reason, "all three, where no two are enough");
  EXPECT_EQ(all->bytes, 3500u);
  EXPECT_EQ(find_within("+", 1400), nullptr);
}

TEST_F(RemediesOfARunTest, AQuarterMoreIsAskedOf16Bits) {
  facts_.forms.push_back({text("float32"), 0});
  for (Block& block : facts_.blocks) {
    if (block.category == Category::kParameter) block.form = 1;
  }
  const Remedy* remedy = find_within("in 16 bits", 5000 - 500);
  ASSERT_NE(remedy, nullptr);
  const std::uint64_t gained = remedy->bytes;
  EXPECT_TRUE(remedy->enough);
  remedy = find_within("in 16 bits", 5000 - gained);
  EXPECT_FALSE(remedy->enough);
  EXPECT_TRUE(remedy->may_be_enough);
  EXPECT_FALSE(find_within("in 16 bits", 4999 - gained)->may_be_enough);
}

// A peak above a budget is no allocation of its forward.
TEST_F(RemediesOfARunTest, MissAllThatIsAboveABudget) {
  facts_.phases.front().end_sequence = 60;
  EXPECT_FALSE(find_within("half the batch", 2900)->enough);
}

}  // namespace
}  // namespace strata::analysis
