// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/peak/head_to_come.hpp"

#include <algorithm>
#include <string>

#include "host/analysis/layers/repeated_blocks.hpp"
#include "tests/analysis/remedies_fixture.hpp"

namespace strata::analysis {
namespace {

// 64 tokens of 10 words, 8 wide in 32 bits, in the second of two layers.
class HeadToComeTest : public RemediesTest {
 protected:
  HeadToComeTest() {
    facts_.is_configured = false;
    phase(STRATA_PHASE_FORWARD, 20, 60);
    parameter("embedding.weight", "10x8", 10 * 8 * 4);
    parameter("positions.weight", "64x8", 64 * 8 * 4);
    parameter("layers.0.mlp.weight", "8x8", 8 * 8 * 4);
    parameter("layers.1.mlp.weight", "8x8", 8 * 8 * 4);
    parameter("norm.weight", "8", 8 * 4);
    looked_up("embedding", 64);
    made_in("layers.1.mlp");
  }

  void made_in(const std::string& layer) {
    alive(1, Category::kActivation, "saved", layer).birth_sequence = 40;
  }

  void parameter(const std::string& name, const std::string& shape, std::uint64_t bytes) {
    Block& block = alive(bytes, Category::kParameter, "parameter");
    block.name = text(name);
    block.form = static_cast<std::uint32_t>(facts_.forms.size());
    facts_.forms.push_back({.dtype = 0, .shape = text(shape)});
  }

  void looked_up(const std::string& layer, std::uint64_t tokens) {
    Block& block = alive(tokens * 8 * 4, Category::kTemporary, "op_temp", layer);
    block.op = text("aten::index_select");
    block.birth_sequence = 25;
    block.death_sequence = 26;
  }

  HeadToCome found() {
    std::ranges::stable_sort(facts_.blocks, {}, &Block::birth_sequence);
    facts_.repeated_block_lengths = repeated_block_lengths(facts_);
    return head_to_come(facts_, failure_);
  }

  static constexpr std::uint64_t kOnce = 64 * 10 * 4;
};

TEST_F(HeadToComeTest, OfATiedHeadIsByTheRowsOfTheEmbedding) {
  const HeadToCome head = found();
  EXPECT_EQ(head.tokens, 64U);
  EXPECT_EQ(head.logits, 10U);
  EXPECT_EQ(head.bytes, 4 * kOnce);
  EXPECT_EQ(head.least_bytes, 3 * kOnce) << "of a program that keeps its loss alone";
  facts_.is_configured = true;
  EXPECT_EQ(found().bytes, 3 * kOnce) << "it lets go of the logits";
}

TEST_F(HeadToComeTest, WhatAnAllocatorRoundedIsNoToken) {
  for (Block& block : facts_.blocks) {
    block.rounding_bytes = 512;
    block.bytes += block.rounding_bytes;
  }
  EXPECT_EQ(found().tokens, 64U);
  EXPECT_EQ(found().bytes, 4 * kOnce);
}

TEST_F(HeadToComeTest, OfWeightsBehindTheBlocksIsByTheirRows) {
  parameter("head.weight", "40x8", 40 * 8 * 4);
  EXPECT_EQ(found().logits, 40U);
  EXPECT_EQ(found().bytes, 4 * 4 * kOnce);
}

TEST_F(HeadToComeTest, AClassifierThatPoolsTokensHasNone) {
  parameter("pooler.weight", "8x8", 8 * 8 * 4);
  parameter("classifier.weight", "3x8", 3 * 8 * 4);
  EXPECT_EQ(found().bytes, 0U);
}

TEST_F(HeadToComeTest, OfATiedHeadBehindATransformIsByItsBias) {
  parameter("predictions.transform.weight", "8x8", 8 * 8 * 4);
  EXPECT_EQ(found().logits, 0U) << "as of a classifier";
  parameter("predictions.bias", "10", 10 * 4);
  EXPECT_EQ(found().logits, 10U);
}

TEST_F(HeadToComeTest, PositionsAreNoTokens) {
  looked_up("positions", 16);
  EXPECT_EQ(found().tokens, 64U) << "64 rows, but of 16 places";
}

TEST_F(HeadToComeTest, OfLogitsThatWereAskedForIsTheRest) {
  made_in("norm");
  failure_.op = text("aten::addmm");
  failure_.requested_bytes = kOnce;
  EXPECT_EQ(found().bytes, 3 * kOnce);
  EXPECT_EQ(found().least_bytes, 2 * kOnce);
  failure_.requested_bytes = kOnce / 2;
  EXPECT_EQ(found().bytes, 3 * kOnce + kOnce / 2) << "in 16 bits";
  failure_.requested_bytes = kOnce / 4;
  EXPECT_EQ(found().bytes, 0U) << "of something else";
}

TEST_F(HeadToComeTest, OfALossIsToldByLossToCome) {
  made_in("norm");
  failure_.op = text("aten::_log_softmax");
  failure_.requested_bytes = kOnce;
  EXPECT_EQ(found().bytes, 0U);
}

TEST_F(HeadToComeTest, IsNoneOfAnEvaluation) {
  phase(STRATA_PHASE_EVALUATION, 15, 70);
  EXPECT_EQ(found().bytes, 0U);
}

TEST_F(HeadToComeTest, IsNotKnownWhereNoShapeIs) {
  facts_.forms.assign(facts_.forms.size(), {});
  EXPECT_EQ(found().bytes, 0U);
}

TEST_F(HeadToComeTest, AnOddShapeIsNone) {
  for (const char* const shape : {"10x", "x8", "10x-8", "0x8", "10x8x2", "ten", "99999999999999999999x8"}) {
    facts_.forms[1].shape = text(shape);
    EXPECT_EQ(found().bytes, 0U) << shape;
  }
}

// As a T5, whose first block looks up how far apart each two tokens are.
TEST_F(HeadToComeTest, WhatABlockLooksUpIsNoToken) {
  parameter("layers.0.distances.weight", "32x8", 32 * 8 * 4);
  looked_up("layers.0.distances", 4096);
  EXPECT_EQ(found().tokens, 64U);
  EXPECT_EQ(found().logits, 10U);
}

// As a T5's, whose parameter is `shared.weight`.
TEST_F(HeadToComeTest, AnEmbeddingThatIsSharedHasTheNameOfNobodyWhoLooksUp) {
  facts_.blocks.erase(facts_.blocks.begin());
  looked_up("decoder.embedding", 16);
  parameter("shared.weight", "100x8", 100 * 8 * 4);
  EXPECT_EQ(found().tokens, 64U) << "of the encoder's, which is none of its own either";
  EXPECT_EQ(found().logits, 100U);
}

// An encoder that runs out in a second step: its decoder has not looked up anything yet.
TEST_F(HeadToComeTest, OfADecoderThatWasNotBegunIsByTheForwardBefore) {
  facts_.phases.clear();
  phase(STRATA_PHASE_FORWARD, 5, 15);
  phase(STRATA_PHASE_BACKWARD, 16, 18);
  phase(STRATA_PHASE_FORWARD, 20, 60);
  looked_up("embedding", 16);
  facts_.blocks.back().birth_sequence = 12;
  found();
  EXPECT_EQ(head_to_come(facts_, failure_).tokens, 64U);
  EXPECT_EQ(head_to_come(facts_, failure_, TokensOf::kForwardBefore).tokens, 16U);
  facts_.phases.erase(facts_.phases.begin());
  EXPECT_EQ(head_to_come(facts_, failure_, TokensOf::kForwardBefore).tokens, 64U) << "none before it";
}

TEST_F(HeadToComeTest, OfADecoderIsByItsOwnTokens) {
  Block& encoded = alive(1, Category::kActivation, "saved", "layers.0.mlp");
  encoded.birth_sequence = 26;
  looked_up("embedding", 16);
  facts_.blocks.back().birth_sequence = 27;
  EXPECT_EQ(found().tokens, 16U);
}

}  // namespace
}  // namespace strata::analysis
