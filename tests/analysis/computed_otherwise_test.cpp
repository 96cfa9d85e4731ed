// SPDX-License-Identifier: Apache-2.0
// Remedies that compute otherwise: attention in one kernel, and what is in 16 bits.
#include <utility>

#include "tests/analysis/remedies_fixture.hpp"

namespace strata::analysis {
namespace {

TEST_F(RemediesTest, AttentionInOneKernelSparesWhatIsMadeOfTheScores) {
  const std::uint32_t softmax = text("aten::_softmax"), dropout = text("aten::native_dropout"),
                      copy = text("aten::_to_copy"), product = text("aten::bmm");
  const auto scores = [&](std::uint32_t op, std::uint64_t bytes, std::uint32_t layer) {
    Block& block = alive(bytes, Category::kActivation, "saved");
    block.op = op;
    block.layer = layer;
  };
  const std::uint32_t in_its_module = text("layers.drop");
  for (const char* name : {"layers.0.attn", "layers.1.attn"}) {
    const std::uint32_t layer = text(name);
    scores(softmax, 400, layer);
    scores(dropout, 400, in_its_module);
    scores(dropout, 100, in_its_module);  // its mask
    scores(copy, 199, layer);             // in 16 bits, as an allocator rounded it
    scores(dropout, 70, layer);           // of something else
    scores(product, 400, layer);
    scores(dropout, 400, in_its_module);
  }
  ASSERT_NE(find("attention: sdpa"), nullptr);
  EXPECT_EQ(find("attention: sdpa")->bytes, 2198U);
}

TEST_F(RemediesTest, OneAttentionThatFellBackSparesItsScores) {
  alive(80, Category::kActivation, "saved").op = text("aten::_softmax");
  Block& gradient = alive(80, Category::kAutogradDetail, "flowing");
  gradient.op = text("aten::_softmax_backward_data");
  EXPECT_EQ(find("attention in one kernel"), nullptr) << "it may be what a classifier gives";
  text("aten::_scaled_dot_product_attention_math");
  ASSERT_NE(find("attention in one kernel"), nullptr);
  EXPECT_EQ(find("attention in one kernel")->bytes, 160u);
}

TEST_F(RemediesTest, AttentionThatCameToItsMathematicsIsNotToldToBeCalled) {
  const std::uint32_t softmax = text("aten::_softmax");
  for (const char* name : {"layers.0.attn", "layers.1.attn"})
    alive(400, Category::kActivation, "saved", name).op = softmax;
  EXPECT_NE(find("attention in one kernel (attention: sdpa)"), nullptr);
  text("aten::_scaled_dot_product_attention_math");
  EXPECT_EQ(find("attention in one kernel (attention: sdpa)"), nullptr);
  ASSERT_NE(find("attention in one kernel, where none took this one (attention: sdpa)"), nullptr);
}

TEST_F(RemediesTest, AForwardIn16BitsCopiesWeights) {
  facts_.forms.push_back({text("float32"), 0});
  alive(500, Category::kActivation, "saved");
  EXPECT_EQ(find("16 bits"), nullptr) << "nobody knows that it is in 32";
  alive(100, Category::kParameter, "parameter").form = 1;
  ASSERT_NE(find("precision: bf16_autocast"), nullptr);
  EXPECT_EQ(find("precision: bf16_autocast")->bytes, 250u - 50u);
  alive(50, Category::kActivation, "autocast_copy");
  EXPECT_EQ(find("16 bits"), nullptr) << "it is";
}

TEST_F(RemediesTest, WhatIsNotTrainedCanBeIn16Bits) {
  facts_.is_configured = false;
  facts_.forms.push_back({text("float32"), 0});
  facts_.forms.push_back({text("bfloat16"), 0});
  const auto parameter = [&](const char* name, std::uint32_t form) {
    Block& block = alive(200, Category::kParameter, "parameter");
    block.name = text(name);
    block.form = form;
  };
  parameter("student.weight", 1);
  parameter("teacher.weight", 1);
  parameter("narrow.weight", 2);
  alive(1, Category::kGradient, "gradient").name = text("student.weight.grad");
  EXPECT_EQ(find("what is not trained"), nullptr) << "the teacher's may be still to come";
  facts_.blocks[1].is_frozen = true;
  ASSERT_NE(find("what is not trained in 16 bits (.to(torch.bfloat16))"), nullptr);
  EXPECT_EQ(find("what is not trained")->bytes, 100u);
  EXPECT_TRUE(find("what is not trained")->enough);
}

TEST_F(RemediesTest, BehindAnOptimizersStepWhatHasNoGradientIsNotTrained) {
  facts_.forms.push_back({text("float32"), 0});
  for (const char* const name : {"student.weight", "teacher.weight"}) {
    Block& block = alive(200, Category::kParameter, "parameter");
    block.name = text(name);
    block.form = 1;
  }
  alive(300, Category::kParameter, "buffer").form = 1;
  alive(1, Category::kGradient, "gradient").name = text("student.weight.grad");
  EXPECT_EQ(find("what is not trained"), nullptr);
  phase(STRATA_PHASE_OPTIMIZER, 4, 5);
  ASSERT_NE(find("what is not trained"), nullptr);
  EXPECT_EQ(find("what is not trained")->bytes, 100U) << "a buffer is no parameter";
}

TEST_F(RemediesTest, AnAverageStaysIn32Bits) {
  facts_.forms.push_back({text("float32"), 0});
  alive(200, Category::kParameter, "ema").form = 1;
  alive(1, Category::kGradient, "gradient").name = text("weight.grad");
  EXPECT_EQ(find("what is not trained"), nullptr);
  facts_.blocks.front().kind = "parameter";
  ASSERT_NE(find("what is not trained"), nullptr);
  EXPECT_TRUE(find("what is not trained")->enough);
  facts_.blocks.front().bytes = 100;
  EXPECT_TRUE(find("what is not trained")->may_be_enough) << "what it computes may be in 16 bits, too";
}

TEST_F(RemediesTest, NobodyKnowsWhether16BitsAreEnough) {
  facts_.forms.push_back({text("float32"), 0});
  alive(2, Category::kParameter, "parameter").form = 1;
  alive(60, Category::kActivation, "saved");
  const auto verdict = [&](std::uint64_t bytes) {
    facts_.blocks[1].bytes = bytes;
    const Remedy* const remedy = find("precision: bf16_autocast");
    return std::pair(remedy->enough, remedy->may_be_enough);
  };
  EXPECT_EQ(verdict(40), std::pair(false, false)) << "60 are missing, 19 are spared";
  EXPECT_EQ(verdict(100), std::pair(false, true));
  EXPECT_TRUE(verdict(260).first);
}

}  // namespace
}  // namespace strata::analysis
