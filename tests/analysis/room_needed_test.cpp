// SPDX-License-Identifier: Apache-2.0
// Which remedies are enough: with room for what is still to come, too.
#include <string>

#include "host/analysis/peak/remedies.hpp"
#include "tests/analysis/remedies_fixture.hpp"

namespace strata::analysis {
namespace {

// What is frozen has none, and before a backward nobody has told which that is.
TEST_F(RemediesTest, BeforeAnyGradientASmallerBatchMayBeEnough) {
  alive(200, Category::kActivation, "saved");
  alive(50, Category::kParameter, "parameter");
  const Remedy* remedy = find("half the batch");
  ASSERT_NE(remedy, nullptr);
  EXPECT_EQ(remedy->bytes, 100u);
  EXPECT_FALSE(remedy->enough) << "of 60 that are missing, and 50 that all gradients would be";
  EXPECT_TRUE(remedy->may_be_enough);
  facts_.blocks.back().bytes = 40;
  EXPECT_TRUE(find("half the batch")->enough);
  alive(5000, Category::kParameter, "ema");
  EXPECT_TRUE(find("half the batch")->enough) << "an average is not trained";
}

// What is enough for this step is not for the next, which has the optimizer's state beside it.
TEST_F(RemediesTest, BeforeAnOptimizersStepWhatLeavesNoRoomForItsStateMayBeEnough) {
  alive(400, Category::kActivation, "saved");
  alive(50, Category::kParameter, "parameter");
  ASSERT_TRUE(find("half the batch")->enough) << "200 of 60 that are missing";
  failure_.adam_to_come_bytes = 100;
  EXPECT_FALSE(find("half the batch")->enough) << "of 60, 50 of gradients and 100 of moments";
  EXPECT_TRUE(find("half the batch")->may_be_enough);
  facts_.blocks.front().bytes = 420;
  EXPECT_TRUE(find("half the batch")->enough);
  failure_.held.reserved_bytes = 200;
  EXPECT_FALSE(find("half the batch")->enough) << "a device of 240 bytes has no room for a step's 250";
  failure_.device_free_bytes = 50;
  EXPECT_TRUE(find("half the batch")->enough);
}

TEST_F(RemediesTest, OfWhatIsComputedBeforeATrainingHalfTheBatchIsWorthHalf) {
  facts_.phases.clear();
  alive(300, Category::kUnknown, "");
  alive(200, Category::kUnknown, "").op = text("aten::addmm");
  facts_.blocks.back().birth_sequence = 20;
  const Remedy* half = find("half the batch in evaluation");
  ASSERT_NE(half, nullptr);
  EXPECT_EQ(half->bytes, 150U) << "of 200, and of 100 that were asked for";
  EXPECT_FALSE(half->enough) << "more may come";
  EXPECT_TRUE(half->may_be_enough);
  ASSERT_NE(first_of("parameters in 16 bits"), nullptr);
  EXPECT_EQ(first_of("parameters in 16 bits")->bytes, 300U);
  EXPECT_TRUE(first_of("parameters in 16 bits")->may_be_enough);
  facts_.blocks.back().op = 0;
  EXPECT_EQ(find("half the batch"), nullptr);
  EXPECT_FALSE(first_of("parameters in 16 bits")->may_be_enough) << "of a model that is being set up";
}

TEST_F(RemediesTest, WhatLeavesNoRoomForTheGradientsOfLaterMicroBatchesMayBeEnough) {
  alive(200, Category::kActivation, "saved");
  ASSERT_TRUE(find("half the batch")->enough) << "100 of 60 that are missing";
  failure_.gradients_to_come_bytes = 50;
  EXPECT_FALSE(find("half the batch")->enough);
  EXPECT_TRUE(find("half the batch")->may_be_enough);
  facts_.blocks.front().bytes = 220;
  EXPECT_TRUE(find("half the batch")->enough);
}

TEST_F(RemediesTest, AHalfOfABatchThatIsAccumulatedAlreadyBringsNoGradients) {
  alive(200, Category::kActivation, "saved");
  alive(80, Category::kParameter, "parameter").name = text("weight");
  alive(10, Category::kGradient, "gradient").name = text("weight.grad");
  EXPECT_EQ(find("half the batch")->bytes, 100U - 70U);
  phase(STRATA_PHASE_FORWARD, 10, 11);
  facts_.phases.back().micro_batch = 1;
  EXPECT_EQ(find("half the batch")->bytes, 100U);
}

TEST_F(RemediesTest, WhereNobodyKnowsTheRestOfAForwardNothingIsSurelyEnough) {
  alive(1000, Category::kActivation, "saved");
  ASSERT_TRUE(find("half the batch")->enough);
  failure_.is_forward_untold = true;
  find("half the batch");
  for (const Remedy& remedy : remedies_) EXPECT_FALSE(remedy.enough) << remedy.change;
  EXPECT_TRUE(first_of("half the batch")->may_be_enough);
}

// What is enough to within a twentieth of the device, in whole segments, may lie in pieces.
TEST_F(RemediesTest, WhatLeavesNoSegmentFreeMayBeEnough) {
  constexpr std::uint64_t kMiB = 1 << 20;
  failure_.requested_bytes = 100 * kMiB;
  failure_.device_free_bytes = 0;
  alive(238 * kMiB, Category::kActivation, "saved");
  alive(500 * kMiB, Category::kUnknown, "");
  ASSERT_NE(find("half the batch"), nullptr);
  EXPECT_FALSE(find("half the batch")->enough) << "119 of 100 and of 20";
  EXPECT_TRUE(find("half the batch")->may_be_enough);
  facts_.blocks.front().bytes = 240 * kMiB;
  EXPECT_TRUE(find("half the batch")->enough);
}

TEST_F(RemediesTest, WhatIsFreeInPiecesMayLieSideBySideThen) {
  alive(100, Category::kActivation, "saved");
  EXPECT_FALSE(find("half the batch")->may_be_enough) << "50 of 60";
  failure_.held.reserved_bytes += 10;
  EXPECT_TRUE(find("half the batch")->may_be_enough);
  EXPECT_FALSE(find("half the batch")->enough);
}

TEST_F(RemediesTest, TwoTogetherAreEnoughForTheOptimizersStateToo) {
  alive(300, Category::kActivation, "saved");
  const std::uint32_t softmax = text("aten::_softmax");
  alive(70, Category::kActivation, "saved").op = softmax;
  alive(70, Category::kActivation, "saved").op = softmax;
  alive(20, Category::kParameter, "parameter");
  failure_.adam_to_come_bytes = 180;
  const Remedy* const both = find(" + ");
  EXPECT_NE(both, nullptr);
  for (const Remedy& remedy : remedies_)
    EXPECT_EQ(remedy.enough, remedy.change.find('+') != std::string::npos) << remedy.change;
}

// In the step behind an optimizer's first one its state is beside the forward and backward.
TEST_F(RemediesTest, WhatLeavesNoRoomForTheNextStepIsNotEnough) {
  phase(STRATA_PHASE_OPTIMIZER, 45, 60);
  alive(40, Category::kOptimizerState, "state").name = text("layers.0.weight.exp_avg");
  alive(40, Category::kOptimizerState, "state").name = text("layers.0.weight.exp_avg_sq");
  alive(300, Category::kTemporary, "optimizer_temp");
  ASSERT_TRUE(find("fused")->enough) << "300 of 60";
  ASSERT_TRUE(find("8bit")->enough) << "60 of 60";
  failure_.next_step_bytes = 420;
  EXPECT_TRUE(find("fused")->enough) << "of 420 that the device has";
  failure_.next_step_bytes = 480;
  EXPECT_FALSE(find("fused")->enough);
  EXPECT_FALSE(first_of("fused")->may_be_enough);
  EXPECT_TRUE(first_of("8bit")->enough) << "60 of 60 then, too";
  failure_.next_step_bytes = 481;
  EXPECT_FALSE(find("8bit")->enough);
  EXPECT_FALSE(first_of("8bit")->may_be_enough);
}

TEST_F(RemediesTest, OfTwoThatAreEnoughThoseThatTrainAsBeforeAreTold) {
  failure_.requested_bytes = 1000;
  alive(600, Category::kOptimizerState, "state").name = text("layers.0.weight.exp_avg");
  alive(600, Category::kOptimizerState, "state").name = text("layers.0.weight.exp_avg_sq");
  alive(700, Category::kTemporary, "optimizer_temp");
  alive(700, Category::kActivation, "saved");
  const Remedy* both = find(" + ");
  ASSERT_NE(both, nullptr);
  EXPECT_EQ(both->change.find("8bit"), std::string::npos) << both->change;
  failure_.requested_bytes = 1050;
  both = find(" + ");
  ASSERT_NE(both, nullptr);
  EXPECT_NE(both->change.find("8bit"), std::string::npos) << "1050 of 1010 is no twentieth of room";
}

}  // namespace
}  // namespace strata::analysis
