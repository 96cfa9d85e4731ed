// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/peak/remedies.hpp"

#include <string>

#include "host/analysis/layers/repeated_blocks.hpp"
#include "host/analysis/peak/still_to_come.hpp"
#include "tests/analysis/remedies_fixture.hpp"

namespace strata::analysis {
namespace {

TEST_F(RemediesTest, NothingAliveHelpsNobody) {
  EXPECT_TRUE(find_remedies(facts_, failure_).empty());
}

TEST_F(RemediesTest, OfAProgramSayWhatItsAuthorWouldWrite) {
  for (const char* const layer : {"layers.0.attn", "layers.0.mlp", "layers.1.attn", "layers.1.mlp"})
    alive(30, Category::kActivation, "saved", layer).op = text(layer);
  EXPECT_NE(find("(checkpointing: block)"), nullptr);
  facts_.is_configured = false;
  EXPECT_EQ(find("(checkpointing: block)"), nullptr);
  EXPECT_NE(find("(torch.utils.checkpoint around each block)"), nullptr);
}

TEST_F(RemediesTest, WhatIsDeadOrNotYetBornCountsNot) {
  alive(30, Category::kTemporary, "optimizer_temp").death_sequence = 50;
  alive(40, Category::kTemporary, "optimizer_temp").birth_sequence = 51;
  alive(7, Category::kTemporary, "optimizer_temp").birth_sequence = 50;
  ASSERT_NE(find("fused"), nullptr);
  EXPECT_EQ(find("fused")->bytes, 7u);
  EXPECT_FALSE(find("fused")->enough);
}

TEST_F(RemediesTest, ASmallerBatchHasAsManyCopiesOfWeights) {
  alive(60, Category::kActivation, "saved");
  alive(500, Category::kActivation, "autocast_copy");
  ASSERT_NE(find("half the batch"), nullptr);
  EXPECT_EQ(find("half the batch")->bytes, 30u);
}

TEST_F(RemediesTest, ABatchOfOneHasNoHalf) {
  alive(60, Category::kActivation, "saved");
  facts_.batch_size = 2;
  EXPECT_NE(find("half the batch"), nullptr);
  facts_.batch_size = 1;
  EXPECT_EQ(find("half the batch"), nullptr);
}

TEST_F(RemediesTest, ASmallerBatchHasTheGradientsOfTheOtherHalf) {
  alive(500, Category::kActivation, "saved");
  alive(100, Category::kParameter, "parameter");
  alive(30, Category::kGradient, "gradient");
  ASSERT_NE(find("half the batch"), nullptr);
  EXPECT_EQ(find("half the batch")->bytes, 250u - 70u);
  alive(180, Category::kParameter, "parameter");
  EXPECT_EQ(find("half the batch"), nullptr) << "as much as it spares";
}

TEST_F(RemediesTest, ASmallerBatchAsksForHalfAsMuchInForward) {
  alive(50, Category::kActivation, "saved");
  EXPECT_FALSE(find("half the batch")->enough) << "25 of the 60 that are missing";
  facts_.phases.front().end_sequence = 60;
  EXPECT_TRUE(find("half the batch")->enough) << "of 50 asked for 10 are";
}

TEST_F(RemediesTest, AFusedOptimizerSparesWhatIsAskedForToo) {
  failure_.op = text("aten::_foreach_sqrt");
  EXPECT_EQ(find("fused"), nullptr) << "not in an optimizer";
  phase(STRATA_PHASE_OPTIMIZER, 20, 60);
  ASSERT_NE(find("fused"), nullptr);
  EXPECT_EQ(find("fused")->bytes, 100u);
  EXPECT_TRUE(find("fused")->enough);
}

TEST_F(RemediesTest, WhatTorchHasNotFusedCanGoOverTheParametersInALoop) {
  facts_.is_configured = false;
  phase(STRATA_PHASE_OPTIMIZER, 20, 60);
  alive(300, Category::kParameter, "parameter");
  alive(100, Category::kParameter, "parameter");
  Block& list = alive(400, Category::kTemporary, "optimizer_temp");
  list.op = text("aten::_foreach_sqrt");
  list.phase = static_cast<std::uint32_t>(facts_.phases.size());
  for (const char* const name : {"Adam.step", "AdamW.step", "SGD.step", "optimizer"}) {
    facts_.phases.back().name = name;
    ASSERT_NE(find("(fused=True)"), nullptr) << name;
    EXPECT_EQ(find("(fused=True)")->bytes, 400u) << name;
    EXPECT_EQ(find("(foreach=False)"), nullptr) << name;
  }
  facts_.phases.back().name = "NAdam.step";
  EXPECT_EQ(find("fused"), nullptr);
  ASSERT_NE(find("(foreach=False)"), nullptr);
  EXPECT_EQ(find("(foreach=False)")->bytes, 100u)
      << "but those of the largest parameter, three quarters of all";
  facts_.blocks.back().op = text("aten::cat");  // of LBFGS, which has no such form
  EXPECT_EQ(find("(foreach=False)"), nullptr);
}

TEST_F(RemediesTest, TheRestOfAPassOverAllParametersIsMissingToo) {
  failure_.op = text("aten::_foreach_sqrt");
  phase(STRATA_PHASE_OPTIMIZER, 20, 60);
  alive(200, Category::kActivation, "forward_residue");
  alive(50, Category::kTemporary, "optimizer_temp");
  EXPECT_TRUE(find("half the batch")->enough) << "60 of 100 were missing";
  failure_.pass_to_come_bytes = 320;
  EXPECT_FALSE(find("half the batch")->enough) << "280 of 320 are";
  EXPECT_EQ(find("fused")->bytes, 370u);
  EXPECT_TRUE(find("fused")->enough);
}

TEST_F(RemediesTest, WhatAProgramHoldsBeyondBackwardCanGoBeforeTheOptimizersStep) {
  Block& logits = alive(70, Category::kActivation, "forward_residue", "out");
  logits.op = text("aten::mm");
  alive(5, Category::kActivation, "forward_residue", "loss");
  facts_.is_configured = false;
  EXPECT_EQ(find("del of"), nullptr) << "not in an optimizer";
  phase(STRATA_PHASE_OPTIMIZER, 20, 60);
  ASSERT_NE(find("del of what aten::mm of out made, before optimizer.step()"), nullptr);
  EXPECT_EQ(find("del of")->bytes, 75u);
  facts_.is_configured = true;
  EXPECT_EQ(find("del of"), nullptr);
}

TEST_F(RemediesTest, NextToNothingIsNotSaid) {
  failure_.requested_bytes = 10'040;
  alive(199, Category::kActivation, "saved");
  EXPECT_EQ(find("half the batch"), nullptr) << "99 of 10,000";
  alive(1, Category::kActivation, "saved");
  EXPECT_NE(find("half the batch"), nullptr);
}

TEST_F(RemediesTest, OnlyAdamsMomentsGetEightBits) {
  alive(80, Category::kOptimizerState, "state").name = text("layers.0.weight.exp_avg");
  alive(80, Category::kOptimizerState, "state").name = text("layers.0.weight.exp_avg_sq");
  alive(80, Category::kOptimizerState, "state").name = text("layers.0.weight.momentum_buffer");
  ASSERT_NE(find("adam8bit"), nullptr);
  EXPECT_EQ(find("adam8bit")->bytes, 120u);
  facts_.forms.push_back({text("bfloat16"), 0});
  for (Block& block : facts_.blocks) block.form = 1;
  EXPECT_EQ(find("adam8bit")->bytes, 80u);
  EXPECT_EQ(find("adam8bit")->reason, "half of Adam's moments");
}

// bitsandbytes computes in one kernel; the host's own in PyTorch's operators.
TEST_F(RemediesTest, OfAProgramEightBitsSpareTheStepsTemporaries) {
  alive(80, Category::kOptimizerState, "state").name = text("layers.0.weight.exp_avg_sq");
  alive(200, Category::kTemporary, "optimizer_temp").op = text("aten::_foreach_sqrt");
  EXPECT_EQ(find("adam8bit")->bytes, 60u);
  facts_.is_configured = false;
  ASSERT_NE(find("Adam8bit"), nullptr);
  EXPECT_EQ(find("Adam8bit")->bytes, 260u);
  EXPECT_EQ(find("Adam8bit")->reason, "three quarters of Adam's moments, and the temporaries of its step");
}

TEST_F(RemediesTest, OneMomentIsNoLessThanTwoOf8Bits) {
  alive(80, Category::kOptimizerState, "state").name = text("layers.0.weight.exp_avg");
  EXPECT_EQ(find("adam8bit"), nullptr) << "Lion's";
}

TEST_F(RemediesTest, ALossInPiecesHoldsOneOfThem) {
  const std::uint32_t softmax = text("aten::_log_softmax"), product = text("aten::mm");
  const auto made = [&](std::uint32_t op, std::uint64_t bytes, Category category, std::string_view kind,
                        const std::string& layer) { alive(bytes, category, kind, layer).op = op; };
  made(softmax, 8000, Category::kActivation, "saved", "lm_head");
  made(product, 4000, Category::kActivation, "forward_residue", "lm_head");  // in 16 bits
  made(text("aten::_to_copy"), 7960, Category::kAutogradDetail, "flowing", "");
  made(product, 8000, Category::kAutogradDetail, "flowing", "");        // of weights, by chance
  made(product, 8000, Category::kActivation, "saved", "layers.0.mlp");  // of a block, by chance
  made(product, 8000, Category::kParameter, "parameter", "lm_head");
  made(product, 3000, Category::kActivation, "saved", "lm_head");
  EXPECT_EQ(find("loss in 8 pieces"), nullptr) << "a training of ours has no setting for it";
  facts_.is_configured = false;
  ASSERT_NE(find("loss in 8 pieces"), nullptr);
  EXPECT_EQ(find("loss in 8 pieces")->bytes, (8000U + 4000U + 7960U) / 8 * 7);
}

// transformers keeps them in 32 bits. Looking up is an index_select within aten::embedding.
TEST_F(RemediesTest, ATrainersEightBitMomentsLeaveOutEmbeddings) {
  facts_.is_configured = false;
  facts_.trainer = "transformers";
  for (const char* const name : {"words.weight", "layers.0.weight"}) {
    for (const char* const moment : {".exp_avg", ".exp_avg_sq"})
      alive(200, Category::kOptimizerState, "state").name = text(std::string(name) + moment);
  }
  ASSERT_NE(find("8-bit moments"), nullptr);
  EXPECT_EQ(find("8-bit moments")->bytes, 600U);
  alive(1, Category::kTemporary, "op_temp", "words").op = text("aten::index_select");
  EXPECT_EQ(find("8-bit moments")->bytes, 300U);
}

TEST_F(RemediesTest, ALossInPiecesHasTheGradientOfTheHead) {
  facts_.is_configured = false;
  Block& logits = alive(8000, Category::kActivation, "logits", "lm_head");
  logits.op = text("aten::mm");
  alive(500, Category::kParameter, "parameter").name = text("lm_head.weight");
  ASSERT_NE(find("loss in 8 pieces"), nullptr);
  EXPECT_EQ(find("loss in 8 pieces")->bytes, 6500U) << "what is not frozen will be trained";
  alive(500, Category::kGradient, "gradient").name = text("lm_head.weight.grad");
  EXPECT_EQ(find("loss in 8 pieces")->bytes, 7000U) << "it is there already, of an earlier micro-batch";
  facts_.blocks[2].death_sequence = 20;
  EXPECT_EQ(find("loss in 8 pieces")->bytes, 6500U);
  facts_.texts[facts_.blocks[1].name] = "embedding.weight";
  facts_.texts[facts_.blocks[2].name] = "embedding.weight.grad";
  EXPECT_EQ(find("loss in 8 pieces")->bytes, 6500U) << "tied";
  facts_.texts[facts_.blocks[2].name] = "adapter.weight.grad";
  facts_.blocks[1].is_frozen = true;
  EXPECT_EQ(find("loss in 8 pieces")->bytes, 7000U);
}

TEST_F(RemediesTest, ALossInPiecesAsksForAPieceToo) {
  failure_.op = text("aten::_log_softmax");
  facts_.is_configured = false;
  alive(24, Category::kActivation, "logits", "lm_head");
  ASSERT_NE(find("loss in 8 pieces"), nullptr);
  EXPECT_TRUE(find("loss in 8 pieces")->enough) << "of 100 asked for, 12 are";
}

// Neither logits nor their loss are there yet.
TEST_F(RemediesTest, AHeadThatRunsOutIsInPiecesWithWhatIsToCome) {
  facts_.is_configured = false;
  failure_.layer = text("lm_head");
  failure_.head_to_come_bytes = 300;
  ASSERT_NE(find("loss in 8 pieces"), nullptr);
  EXPECT_EQ(find("loss in 8 pieces")->bytes, 350U) << "of 100 that were asked for and 300 behind that";
  EXPECT_FALSE(find("loss in 8 pieces")->enough) << "360 are missing";
  phase(STRATA_PHASE_FORWARD, 8, 60);
  alive(100, Category::kActivation, "saved", "lm_head");
  EXPECT_TRUE(find("loss in 8 pieces")->enough) << "of a copy of them 88 go, too";
  failure_.forward_to_come_bytes = 10;
  EXPECT_EQ(find("loss in 8 pieces"), nullptr) << "it was in a block";
}

TEST_F(RemediesTest, BlocksThatAreComputedAgainSpareNothingAndTheOthersDo) {
  const std::uint32_t handed_on = text("aten::add");
  for (const char* const layer : {"layers.0", "layers.1", "layers.2"}) {
    alive(100, Category::kActivation, "saved", layer);
    alive(30, Category::kActivation, "saved", layer).op = handed_on;
  }
  const auto checkpoints = [&] {
    facts_.repeated_block_lengths = repeated_block_lengths(facts_);
    const Remedy* const found = find("checkpointed blocks");
    return found == nullptr ? 0 : found->bytes;
  };
  EXPECT_EQ(checkpoints(), 200U) << "all but one";
  alive(5, Category::kActivation, "recompute", "lm_head");
  EXPECT_EQ(checkpoints(), 200U) << "a loss in pieces is no block";
  alive(5, Category::kActivation, "recompute", "layers.1");
  EXPECT_EQ(checkpoints(), 100U);
}

// Softmax's result and, in backward, the gradient of it and that of the logits.
TEST_F(RemediesTest, WhatALossMakesBehindThatIsMissingToo) {
  facts_.is_configured = false;
  failure_.op = text("aten::_log_softmax");
  EXPECT_EQ(loss_to_come(facts_, failure_), 0U) << "nothing goes backward";
  alive(400, Category::kActivation, "saved");
  EXPECT_TRUE(find("half the batch")->enough);
  failure_.loss_to_come_bytes = loss_to_come(facts_, failure_);
  EXPECT_EQ(failure_.loss_to_come_bytes, 200U);
  EXPECT_FALSE(find("half the batch")->enough) << "200 of 260";
  failure_.op = text("aten::nll_loss_backward");
  EXPECT_EQ(loss_to_come(facts_, failure_), 100U);
  failure_.op = text("aten::mm");
  EXPECT_EQ(loss_to_come(facts_, failure_), 0U);
}

TEST_F(RemediesTest, TwoAreToldWhereNeitherIsEnough) {
  failure_.requested_bytes = 1000;
  alive(400, Category::kOptimizerState, "state").name = text("layers.0.weight.exp_avg");
  alive(400, Category::kOptimizerState, "state").name = text("layers.0.weight.exp_avg_sq");
  alive(900, Category::kActivation, "saved");
  const Remedy* const both = find(" + ");
  ASSERT_NE(both, nullptr);
  EXPECT_EQ(both->bytes, 450u + 600u);
  EXPECT_EQ(both->reason, "both, where neither is enough by itself");
  EXPECT_FALSE(both->peak_then.has_value());
  failure_.requested_bytes = 1100;
  EXPECT_EQ(find(" + "), nullptr) << "1060 are missing";
  failure_.forward_to_come_bytes = 900;
  failure_.requested_bytes = 600;
  EXPECT_NE(find(" + "), nullptr) << "of 900 to come half";
}

// Half of an evaluation's batch asks for half, and spares nothing of what is there.
TEST_F(RemediesTest, WhatGainsNothingIsNoneOfTwo) {
  facts_.is_configured = false;
  failure_.requested_bytes = 200;
  phase(STRATA_PHASE_EVALUATION, 10, 60);
  alive(40, Category::kOptimizerState, "state").name = text("layers.0.weight.exp_avg");
  alive(40, Category::kOptimizerState, "state").name = text("layers.0.weight.exp_avg_sq");
  ASSERT_NE(find("8-bit moments"), nullptr);
  EXPECT_EQ(find(" + "), nullptr);
}

TEST_F(RemediesTest, WhatIsStillToComeIsMissingToo) {
  alive(40, Category::kOptimizerState, "state").name = text("layers.0.weight.exp_avg");
  alive(40, Category::kOptimizerState, "state").name = text("layers.0.weight.exp_avg_sq");
  alive(200, Category::kActivation, "saved");
  ASSERT_NE(find("half the batch"), nullptr);
  EXPECT_TRUE(find("half the batch")->enough) << "60 of 100 were missing";
  failure_.state_to_come_bytes = 320;
  EXPECT_FALSE(find("half the batch")->enough) << "280 of 320 are";
  EXPECT_EQ(find("adam8bit")->bytes, 300u) << "of moments that are not there yet, too";
  EXPECT_TRUE(find("adam8bit")->enough);
}

TEST_F(RemediesTest, PiecesHelpOnlyWhereEachIsTooSmall) {
  failure_.held.reserved_bytes = 500;
  failure_.largest_gap_bytes = 99;
  EXPECT_EQ(find("expandable_segments"), nullptr) << "no piece has a whole handle";
  failure_.whole_handle_bytes = 400;
  ASSERT_NE(find("expandable_segments"), nullptr);
  EXPECT_EQ(find("expandable_segments")->bytes, 400u);
  EXPECT_TRUE(find("expandable_segments")->enough);
  failure_.largest_gap_bytes = 100;
  EXPECT_EQ(find("expandable_segments"), nullptr);
}

TEST_F(RemediesTest, SegmentsThatGrowAlreadyAreNoRemedy) {
  failure_.whole_handle_bytes = 400;
  facts_.allocator_settings = "expandable_segments:True,max_split_size_mb:64";
  EXPECT_EQ(find("expandable_segments"), nullptr);
}

TEST_F(RemediesTest, BeforeAnyForwardThereIsTheModelAlone) {
  facts_.phases.clear();
  facts_.is_configured = false;
  alive(5000, Category::kUnknown, "unattributed");
  const auto remedies = find_remedies(facts_, failure_);
  ASSERT_EQ(remedies.size(), 1U);
  EXPECT_EQ(remedies[0].change, "parameters in 16 bits (.to(torch.bfloat16))");
  EXPECT_EQ(remedies[0].bytes, 2500U);
  EXPECT_FALSE(remedies[0].enough) << "nobody knows how much was still to come";
}

TEST_F(RemediesTest, NobodyKnowsPiecesWhereSegmentsAreNotTold) {
  failure_.whole_handle_bytes = 400;
  facts_.reserved.emplace_back().bytes = 500;
  EXPECT_EQ(find("expandable_segments"), nullptr);
  facts_.reserved.emplace_back().segment_address = 0x1000;
  EXPECT_NE(find("expandable_segments"), nullptr);
}

TEST_F(RemediesTest, GradientsCanBeClearedInTheFirstForwardAlone) {
  alive(80, Category::kGradient, "gradient");
  EXPECT_EQ(find("zero_grad"), nullptr) << "not in forward";
  phase(STRATA_PHASE_FORWARD, 20, 60);
  ASSERT_NE(find("zero_grad"), nullptr);
  EXPECT_EQ(find("zero_grad")->bytes, 80u);
  facts_.phases.back().micro_batch = 1;
  EXPECT_EQ(find("zero_grad"), nullptr) << "they are being accumulated";
}

TEST_F(RemediesTest, WhatIsEnoughComesFirst) {
  alive(1000, Category::kActivation, "saved");
  alive(59, Category::kTemporary, "optimizer_temp");
  alive(200, Category::kOptimizerState, "state").name = text("a.exp_avg");
  alive(200, Category::kOptimizerState, "state").name = text("a.exp_avg_sq");
  const auto remedies = find_remedies(facts_, failure_);
  ASSERT_EQ(remedies.size(), 3u);
  EXPECT_EQ(remedies[0].bytes, 500u);
  EXPECT_EQ(remedies[1].bytes, 300u);
  EXPECT_EQ(remedies[2].bytes, 59u);
  EXPECT_FALSE(remedies[2].enough);
  failure_.device_free_bytes.reset();
  EXPECT_FALSE(find_remedies(facts_, failure_)[2].enough) << "all 100 may be missing";
}

}  // namespace
}  // namespace strata::analysis
