// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/peak/narrowed_by_autocast.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "tests/analysis/forward_fixture.hpp"

namespace strata::analysis {
namespace {

class NarrowedTest : public ForwardTest {
 protected:
  using Bytes = std::vector<std::int64_t>;
  Bytes narrowed() const { return narrowed_by_autocast(facts_); }
};

TEST_F(NarrowedTest, MostIsHalfAsMuch) {
  made("aten::mm", 400);
  made("aten::mul", 300);
  made("aten::mm", 200);
  facts_.blocks.back().category = Category::kGradient;
  EXPECT_EQ(narrowed(), (Bytes{200, 150, 0}));
}

TEST_F(NarrowedTest, ASoftmaxStaysAndItsCopyComesBesideIt) {
  made("aten::_softmax", 400);
  made("aten::_log_softmax", 400);
  EXPECT_EQ(narrowed(), (Bytes{-200, 0}));
  text("aten::_scaled_dot_product_attention_math");
  EXPECT_EQ(narrowed(), (Bytes{200, 0})) << "autocast narrows the attention as a whole";
}

TEST_F(NarrowedTest, OfASoftmaxThatADropoutTakesThatOnesResultIsCopied) {
  made("aten::_softmax", 400);
  made("aten::native_dropout", 100);
  made("aten::native_dropout", 400);
  EXPECT_EQ(narrowed(), (Bytes{0, 0, 200}));
}

TEST_F(NarrowedTest, WhatAddsUpFromAnEmbeddingStays) {
  made("aten::add", 400);
  EXPECT_EQ(narrowed(), (Bytes{200})) << "of other inputs";
  made("aten::embedding", 100);
  EXPECT_EQ(narrowed(), (Bytes{0, 0}));
}

// A ViT's positions are a parameter, and what a ConvNeXt adds is scaled by one.
TEST_F(NarrowedTest, WhatAddsUpBetweenNormalizationsStays) {
  made("aten::add", 400);
  made("aten::native_layer_norm", 400);
  EXPECT_EQ(narrowed().front(), 0);
}

TEST_F(NarrowedTest, AroundGroupNormsConvolutionsStay) {
  made("aten::cudnn_convolution", 400);
  EXPECT_EQ(narrowed(), (Bytes{200}));
  made("aten::native_group_norm", 400);
  made("aten::mm", 60);
  made("aten::clamp_min", 400);
  made("aten::cat", 500);
  EXPECT_EQ(narrowed(), (Bytes{0, 0, 30, -200, -250}))
      << "relu saves its result, and the next convolution a copy";
}

// LlamaRMSNorm, T5LayerNorm: x * rsqrt(mean(x ** 2) + eps), times a weight. Of the second product each matrix
// product has a copy of its own, in its place.
TEST_F(NarrowedTest, OfANormTheFirstProductStaysAndTheSecondIsCopied) {
  made("aten::rsqrt", 4, "layers.0.norm");
  made("aten::mul", 400, "layers.0.norm");
  made("aten::mul", 400, "layers.0.norm");
  made("aten::mm", 300, "layers.0.attn.q");
  made("aten::mm", 100, "layers.0.attn.k");
  made("aten::mm", 100, "layers.0.attn.v");
  made("aten::_efficient_attention_forward", 300, "layers.0.attn");
  made("aten::mm", 300, "layers.0.attn.o");
  made("aten::mul", 400, "layers.0.mlp");
  EXPECT_EQ(narrowed(), (Bytes{0, 0, 400 - 3 * 200, 150, 50, 50, 150, 150, 200}));
}

TEST_F(NarrowedTest, AGatesSecondProductTakesTheNormToo) {
  made("aten::native_layer_norm", 400);
  made("aten::mm", 800);
  made("aten::silu", 800);
  made("aten::mm", 800);
  made("aten::mul", 800);
  made("aten::mm", 400);
  EXPECT_EQ(narrowed().front(), 0);
  facts_.blocks[3].bytes = 400;  // no gate: back to the model's width
  EXPECT_EQ(narrowed().front(), 200);
}

TEST_F(NarrowedTest, WindowsOfWhatWasNormalizedAreAsWideAndCopiedForEachProduct) {
  made("aten::native_layer_norm", 400);
  made("aten::roll", 400);
  made("aten::clone", 400);
  for (int product = 0; product < 3; ++product) made("aten::addmm", 400);
  made("aten::_efficient_attention_forward", 400);
  made("aten::clone", 400);
  EXPECT_EQ(narrowed()[2], 400 - 3 * 200);
  EXPECT_EQ(narrowed().back(), 200);
}

TEST_F(NarrowedTest, WhatIsCombinedWithSomethingWideStays) {
  made("aten::exp", 800);
  made("aten::mul", 800);
  made("aten::mul", 400);
  made("aten::mul", 800, "layers.1");
  EXPECT_EQ(narrowed(), (Bytes{0, 0, 200, 400}));
}

// As the GELU of GPT-2; elsewhere a tanh is in 16 bits as what it takes.
TEST_F(NarrowedTest, ATanhOfAPowerStays) {
  made("aten::tanh", 400, "body");
  made("aten::pow", 800);
  made("aten::tanh", 800);
  EXPECT_EQ(narrowed(), (Bytes{200, 0, 0}));
}

// transformers' NewGELUActivation, x / 2 * (1 + tanh(c * (x + k * x ** 3))), between the products of a GPT-2.
TEST_F(NarrowedTest, OfAGeluByHandTheHalfAndTheWholeAreInSixteenBits) {
  made("aten::native_layer_norm", 200, "ln_2");
  made("aten::addmm", 800, "c_fc");
  made("aten::mul", 800, "act");
  made("aten::pow", 800, "act");
  made("aten::tanh", 800, "act");
  made("aten::add", 800, "act");
  made("aten::mul", 800, "act");
  made("aten::addmm", 200, "c_proj");
  EXPECT_EQ(narrowed(), (Bytes{100, 0, 400, 0, 0, 0, 400, 100}))
      << "the power keeps its copy of what c_fc gave";
}

TEST_F(NarrowedTest, TemporariesOfTheForwardAreNarrowedToo) {
  for (const char* const op : {"aten::mm", "aten::_to_copy", "aten::_foreach_norm"}) {
    made(op, 400);
    facts_.blocks.back().category = Category::kTemporary;
    facts_.blocks.back().kind = "op_temp";
  }
  made("aten::mm", 400);
  facts_.blocks.back().category = Category::kTemporary;
  facts_.blocks.back().kind = "workspace";
  EXPECT_EQ(narrowed(), (Bytes{200, 0, 0, 0}));
}

TEST_F(NarrowedTest, OfGradientsOnTheirWayThoseOfMatricesAre) {
  for (const char* const op : {"aten::mm", "aten::gelu_backward", "aten::_log_softmax_backward_data"}) {
    made(op, 400);
    facts_.blocks.back().category = Category::kAutogradDetail;
    facts_.blocks.back().kind = "flowing";
  }
  EXPECT_EQ(narrowed(), (Bytes{200, 200, 0}));
}

TEST_F(NarrowedTest, AProductOfAnotherSizeIsNotTheNorms) {
  made("aten::rsqrt", 4);
  made("aten::mul", 400);
  made("aten::mul", 1600);
  EXPECT_EQ(narrowed(), (Bytes{0, 0, 800}));
}

TEST_F(NarrowedTest, ADropoutsMaskIsOfBytesAlready) {
  made("aten::native_dropout", 100);
  made("aten::native_dropout", 400);
  made("aten::mm", 400);
  made("aten::native_dropout", 400);
  EXPECT_EQ(narrowed(), (Bytes{0, 200, 200, 200}));
}

}  // namespace
}  // namespace strata::analysis
