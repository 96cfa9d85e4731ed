// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/layers/repeated_blocks.hpp"
#include "host/analysis/facts/facts.hpp"

#include <gtest/gtest.h>

#include <string>

namespace strata::analysis {
namespace {

class RepeatedBlocksTest : public ::testing::Test {
 protected:
  RepeatedBlocksTest() { facts_.texts = {""}; }

  std::uint32_t text(const std::string& value) {
    facts_.texts.push_back(value);
    return static_cast<std::uint32_t>(facts_.texts.size() - 1);
  }

  void parameter(const std::string& name, std::uint64_t bytes) {
    Block& block = facts_.blocks.emplace_back();
    block.category = Category::kParameter;
    block.bytes = bytes;
    block.name = text(name);
  }

  std::string block_of(const std::string& path) {
    Block& made = facts_.blocks.emplace_back();
    made.layer = text(path);
    facts_.repeated_block_lengths = repeated_block_lengths(facts_);
    return std::string(repeated_block(facts_, made.layer));
  }

  Facts facts_;
};

TEST_F(RepeatedBlocksTest, WithoutParametersTheFirstNumberNamesIt) {
  EXPECT_EQ(block_of("layers.3.attn.0"), "layers.3");
  EXPECT_EQ(block_of("lm_head"), "");
  EXPECT_EQ(block_of(""), "");
  EXPECT_EQ(stem_of_siblings("layers.31"), "layers.");
  EXPECT_EQ(stem_of_siblings("0"), "");
}

TEST_F(RepeatedBlocksTest, OfATextThatNobodyLookedAtToo) {
  EXPECT_EQ(repeated_block(facts_, text("layers.3.attn")), "layers.3");
}

// torchvision's ConvNeXt: a convolution, a stage, a convolution, a stage of another width.
TEST_F(RepeatedBlocksTest, OfStagesTheirBlocks) {
  parameter("features.0.0.weight", 10);
  for (const char* const block : {"features.1.0", "features.1.1"}) {
    parameter(std::string(block) + ".scale", 1);
    parameter(std::string(block) + ".block.0.weight", 100);
  }
  parameter("features.2.1.weight", 20);
  for (const char* const block : {"features.3.0", "features.3.1", "features.3.2"})
    parameter(std::string(block) + ".block.0.weight", 400);
  EXPECT_EQ(block_of("features.1.0.block.3"), "features.1.0");
  EXPECT_EQ(block_of("features.3.2"), "features.3.2");
  EXPECT_EQ(block_of("features.0.0"), "") << "no block, for its siblings are stages";
  EXPECT_EQ(block_of("features.2.1"), "") << "nor one module alone";
}

// transformers' Swin: the first block of a stage may differ, and a stage may have a single block.
TEST_F(RepeatedBlocksTest, OfStagesThatHaveTheirBlocksInAList) {
  parameter("layers.0.blocks.0.attn.weight", 10);
  parameter("layers.0.blocks.0.shortcut.weight", 10);
  parameter("layers.0.blocks.1.attn.weight", 10);
  parameter("layers.0.blocks.2.attn.weight", 10);
  parameter("layers.1.blocks.0.attn.weight", 40);
  EXPECT_EQ(block_of("layers.0.blocks.0.attn"), "layers.0.blocks.0");
  EXPECT_EQ(block_of("layers.1.blocks.0.attn"), "layers.1.blocks.0");
  EXPECT_EQ(block_of("layers.1.downsample"), "");
}

TEST_F(RepeatedBlocksTest, OfExpertsTheLayer) {
  parameter("layers.0.mlp.up.weight", 50);  // the first one is dense
  for (const char* const layer : {"layers.1", "layers.2"})
    for (const char* const expert : {".experts.0", ".experts.1"})
      parameter(std::string(layer) + expert + ".up.weight", 10);
  EXPECT_EQ(block_of("layers.2.experts.1.up"), "layers.2");
  EXPECT_EQ(block_of("layers.0.mlp.up"), "layers.0");
}

TEST_F(RepeatedBlocksTest, OfEqualLinearLayersInABlockTheBlock) {
  for (const char* const layer : {"0.0", "0.2", "1.0", "1.2"}) parameter(std::string(layer) + ".weight", 10);
  parameter("2.0.weight", 30);
  EXPECT_EQ(block_of("0.2"), "0");
  EXPECT_EQ(block_of("1.1"), "1");
  EXPECT_EQ(block_of("2.0"), "2");
}

// torchvision's vision transformer.
TEST_F(RepeatedBlocksTest, OfNamesThatEndInNumbersThreeMustBeAlike) {
  for (const char* const layer : {"encoder_layer_0", "encoder_layer_1", "encoder_layer_2"}) {
    parameter(std::string("encoder.layers.") + layer + ".ln_1.weight", 1);
    parameter(std::string("encoder.layers.") + layer + ".mlp.0.weight", 10);
  }
  for (const char* const critic : {"q1", "q2"})
    for (const char* const layer : {".net.0", ".net.1"})
      parameter(std::string(critic) + layer + ".up.weight", 10);
  EXPECT_EQ(block_of("encoder.layers.encoder_layer_1.mlp.0"), "encoder.layers.encoder_layer_1");
  EXPECT_EQ(block_of("q2.net.1.up"), "q2.net.1");
}

}  // namespace
}  // namespace strata::analysis
