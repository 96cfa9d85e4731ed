// SPDX-License-Identifier: Apache-2.0
// Checkpointed blocks as a remedy: what they spare, and what they keep.
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "host/analysis/layers/repeated_blocks.hpp"
#include "host/analysis/peak/block_roles.hpp"
#include "host/analysis/peak/savings.hpp"
#include "host/analysis/peak/still_to_come.hpp"
#include "tests/analysis/remedies_fixture.hpp"

namespace strata::analysis {
namespace {

class CheckpointedBlocksTest : public RemediesTest {
 protected:
  Block& saved(std::uint64_t bytes, const std::string& layer, const std::string& op) {
    Block& block = alive(bytes, Category::kActivation, "saved", layer);
    block.op = text(op);
    return block;
  }

  // Of two stages, the first of a byte each.
  void two_and_three_blocks(std::uint64_t bytes_of_second) {
    for (const char* const block : {"stages.0.0", "stages.0.1", "stages.1.0", "stages.1.1", "stages.1.2"}) {
      const bool is_first = std::string_view(block).starts_with("stages.0.");
      alive(is_first ? 1 : bytes_of_second, Category::kParameter, "parameter").name =
          text(std::string(block) + ".conv.weight");
    }
  }

  void made_and_let_go(std::uint64_t bytes, const std::string& layer, const std::string& op) {
    Block& block = alive(bytes, Category::kTemporary, "op_temp", layer);
    block.op = text(op);
    block.death_sequence = 20;
    block.phase = 1;  // the forward
  }
};

TEST_F(CheckpointedBlocksTest, KeepOneBlockAndWhatEachHandsOn) {
  saved(900, "embedding", "aten::embedding");
  saved(30, "layers.0.attn", "aten::mm");
  saved(50, "layers.0.mlp", "aten::gelu");
  saved(10, "layers.0", "aten::add");
  saved(70, "layers.1.mlp", "aten::gelu");
  saved(10, "layers.1", "aten::add");
  saved(900, "lm_head", "aten::mm");
  const Remedy* const remedy = find("checkpointing");
  ASSERT_NE(remedy, nullptr);
  EXPECT_EQ(remedy->bytes, 70u) << "the larger block's 80 bytes stay";
  EXPECT_TRUE(remedy->enough) << "60 were missing";
}

TEST_F(CheckpointedBlocksTest, OneAloneCannotBeCheckpointedAway) {
  saved(500, "layers.0.attn", "aten::mm");
  saved(500, "layers.0.mlp", "aten::mm");
  EXPECT_EQ(find("checkpointing"), nullptr);
}

// Convolution, normalization, relu in place: of two equal tensors the second goes on.
TEST_F(CheckpointedBlocksTest, OfANormalizationTheResultIsHandedOnAndNotItsStatistics) {
  for (const char* const block : {"blocks.0", "blocks.1", "blocks.2"}) {
    const std::string layer = block;
    saved(100, layer + ".0", "aten::cudnn_convolution");
    const std::uint32_t norm = text("aten::cudnn_batch_norm");
    for (const std::uint64_t bytes : {100U, 1U, 1U})
      alive(bytes, Category::kActivation, "saved", layer + ".1").op = norm;
  }
  ASSERT_NE(find("checkpointing"), nullptr);
  EXPECT_EQ(find("checkpointing")->bytes, 2u * 102u);
}

// In 16 bits a sum goes on, of which the next block's normalization keeps a copy in 32.
TEST_F(CheckpointedBlocksTest, WhatIsHandedOnAndNotReadCostsItsBytes) {
  for (const char* const block : {"blocks.0", "blocks.1", "blocks.2"}) {
    saved(100, std::string(block) + ".mlp", "aten::gelu");
    made_and_let_go(20, block, "aten::add");
  }
  ASSERT_NE(find("checkpointing"), nullptr);
  EXPECT_EQ(find("checkpointing")->bytes, 200u - 3u * 20u);
}

// A critic sees what is real and what is not, one after the other.
TEST_F(CheckpointedBlocksTest, OfABlockThatRunsTwiceOneRunIsKept) {
  for (int pass = 0; pass < 2; ++pass) {
    for (const char* const block : {"blocks.0", "blocks.1"}) {
      saved(100, block, "aten::mm");
      saved(10, block, "aten::relu");
    }
    saved(1, "out", "aten::mm");
  }
  ASSERT_NE(find("checkpointing"), nullptr);
  EXPECT_EQ(find("checkpointing")->bytes, 300u);
}

TEST_F(CheckpointedBlocksTest, WhatIsCheckpointedAlreadyHoldsWhatIsHandedOnAlone) {
  for (const char* const block : {"blocks.0", "blocks.1", "blocks.2", "blocks.3"})
    saved(100, block, "aten::add");
  EXPECT_EQ(find("checkpointing"), nullptr) << "in the first forward nothing is recomputed yet";
}

TEST_F(CheckpointedBlocksTest, BlocksThatAForwardHadNotComeToAreMissingToo) {
  phase(STRATA_PHASE_FORWARD, 20, 60);
  for (const char* name : {"layers.0.weight", "layers.1.weight", "layers.2.weight", "layers.3.weight"})
    alive(1, Category::kParameter, "parameter").name = text(name);
  for (const char* name : {"layers.0.mlp", "layers.1.mlp"}) {
    saved(600, name, "aten::mm").birth_sequence = 30;
    saved(1, name, "aten::add").birth_sequence = 30;
  }
  failure_.forward_to_come_bytes = forward_to_come(facts_, failure_).bytes;
  EXPECT_EQ(failure_.forward_to_come_bytes, 1202U) << "two of four blocks";
  EXPECT_EQ(find("checkpointing")->bytes, 600U);
  EXPECT_TRUE(find("checkpointing")->enough) << "of two to come a byte each is kept, 2 and 60 are missing";
  failure_.requested_bytes = 639;
  EXPECT_FALSE(find("checkpointing")->enough) << "601 are";
}

TEST_F(CheckpointedBlocksTest, WhatAFirstForwardHadYetToMakeIsUntoldWithoutBlocks) {
  phase(STRATA_PHASE_FORWARD, 20, 60);
  saved(600, "", "aten::mm").birth_sequence = 30;
  EXPECT_TRUE(forward_to_come(facts_, failure_).is_untold);
  phase(STRATA_PHASE_BACKWARD, 10, 15);
  EXPECT_FALSE(forward_to_come(facts_, failure_).is_untold) << "one has gone through";
}

TEST_F(CheckpointedBlocksTest, WhatADecoderMakesIsUntoldInTheEncoder) {
  phase(STRATA_PHASE_FORWARD, 20, 60);
  for (const char* const name :
       {"encoder.layers.0.mlp", "encoder.layers.1.mlp", "decoder.layers.0.mlp", "decoder.layers.1.mlp"})
    alive(4, Category::kParameter, "parameter").name = text(std::string(name) + ".weight");
  saved(600, "encoder.layers.0.mlp", "aten::mm").birth_sequence = 30;
  facts_.repeated_block_lengths = repeated_block_lengths(facts_);
  const ForwardToCome to_come = forward_to_come(facts_, failure_);
  EXPECT_EQ(to_come.bytes, 600U) << "of the encoder";
  EXPECT_TRUE(to_come.has_other_blocks && to_come.is_untold);
  for (Block& block : facts_.blocks) block.is_frozen = facts_.texts[block.name].starts_with("decoder");
  EXPECT_FALSE(forward_to_come(facts_, failure_).is_untold) << "of a reference that another forward calls";
  for (Block& block : facts_.blocks) block.is_frozen = false;
  saved(100, "decoder.layers.0.mlp", "aten::mm").birth_sequence = 31;
  facts_.repeated_block_lengths = repeated_block_lengths(facts_);
  EXPECT_FALSE(forward_to_come(facts_, failure_).is_untold) << "it has begun";
}

TEST_F(CheckpointedBlocksTest, NoBlockIsComputedAgainBesideTheHead) {
  for (const char* name : {"layers.0.mlp", "layers.1.mlp"}) {
    saved(600, name, "aten::mm");
    saved(1, name, "aten::add");
  }
  failure_.head_to_come_bytes = 1100;
  ASSERT_NE(find("checkpointing"), nullptr);
  EXPECT_EQ(find("checkpointing")->bytes, 600U);
  EXPECT_TRUE(find("checkpointing")->enough)
      << "1160 are missing, or 560 and the 600 of the one that is kept";
  failure_.head_to_come_bytes = 1200;
  EXPECT_FALSE(find("checkpointing")->enough);
  EXPECT_FALSE(find("checkpointing")->may_be_enough);
  failure_.logits_let_go_bytes = 300;
  EXPECT_TRUE(find("checkpointing")->may_be_enough);
}

// Each stage keeps less than the one before it: what one of its own blocks kept is to come, and no more.
TEST_F(CheckpointedBlocksTest, OfAStageWhatItsOwnBlocksKeepIsToCome) {
  phase(STRATA_PHASE_FORWARD, 20, 60);
  two_and_three_blocks(4);
  for (const char* name : {"stages.0.0.conv", "stages.0.1.conv"})
    saved(600, name, "aten::mm").birth_sequence = 30;
  saved(300, "stages.1.0.conv", "aten::mm").birth_sequence = 31;
  facts_.repeated_block_lengths = repeated_block_lengths(facts_);
  const ForwardToCome to_come = forward_to_come(facts_, failure_);
  EXPECT_EQ(to_come.bytes, 600U);
  EXPECT_FALSE(to_come.has_stages);
}

TEST_F(CheckpointedBlocksTest, OfAStageTwiceAsWideHalfIsToCome) {
  phase(STRATA_PHASE_FORWARD, 20, 60);
  two_and_three_blocks(4);
  saved(600, "stages.0.0.conv", "aten::mm").birth_sequence = 30;
  facts_.repeated_block_lengths = repeated_block_lengths(facts_);
  const ForwardToCome to_come = forward_to_come(facts_, failure_);
  EXPECT_EQ(to_come.bytes, 600U + 3U * 300U);
  EXPECT_TRUE(to_come.has_stages);
}

TEST_F(CheckpointedBlocksTest, OfAStageWhoseParametersAreEmptyNothingIsKnown) {
  phase(STRATA_PHASE_FORWARD, 20, 60);
  two_and_three_blocks(0);
  saved(600, "stages.0.0.conv", "aten::mm").birth_sequence = 30;
  facts_.repeated_block_lengths = repeated_block_lengths(facts_);
  EXPECT_EQ(forward_to_come(facts_, failure_).bytes, 600U);
}

// What a decoder sees may be of another length.
TEST_F(CheckpointedBlocksTest, OfADecoderThatWasNotBegunNothingIsKnown) {
  phase(STRATA_PHASE_FORWARD, 20, 60);
  for (const char* const block : {"encoder.0", "encoder.1", "decoder.0", "decoder.1"})
    alive(1, Category::kParameter, "parameter").name = text(std::string(block) + ".attn.weight");
  saved(600, "encoder.0.attn", "aten::mm").birth_sequence = 30;
  facts_.repeated_block_lengths = repeated_block_lengths(facts_);
  EXPECT_EQ(forward_to_come(facts_, failure_).bytes, 600U);
}

TEST_F(CheckpointedBlocksTest, WhatIsRecomputedAlreadyNeedsNoCheckpoints) {
  for (const char* const block : {"layers.0", "layers.1"}) {
    saved(500, block, "aten::mm");
    saved(1, block, "aten::add");
  }
  ASSERT_NE(find("checkpointing"), nullptr);
  alive(50, Category::kActivation, "recompute", "layers.1.attn").death_sequence = 20;
  EXPECT_EQ(find("checkpointing"), nullptr);
}

// As a batch normalization of a picture whose channels are last, in 16 bits, counts who has come.
TEST_F(CheckpointedBlocksTest, WhatIsGoneBeforeTheNextBlockIsNotHandedOn) {
  for (const char* const block : {"blocks.0", "blocks.1", "blocks.2"}) {
    const std::string layer = block;
    saved(100, layer + ".conv", "aten::cudnn_convolution");
    const std::uint32_t norm = saved(100, layer + ".norm", "aten::native_batch_norm").layer;
    made_and_let_go(1, layer + ".norm", "aten::zeros");
    facts_.blocks.back().layer = norm;
  }
  for (std::size_t index = 0; index < facts_.blocks.size(); ++index) {
    facts_.blocks[index].birth_sequence = 10 + index;
    if (facts_.blocks[index].kind == "op_temp") facts_.blocks[index].death_sequence = 11 + index;
  }
  ASSERT_NE(find("checkpointing"), nullptr);
  EXPECT_EQ(find("checkpointing")->bytes, 200U);
}

// Autocast keeps them to its end, and a graph to its backward's: one of checkpointed blocks has none.
TEST_F(CheckpointedBlocksTest, SpareAutocastsCopiesOfTheirWeightsInBackward) {
  phase(STRATA_PHASE_BACKWARD, 40, 60);
  for (const char* const block : {"layers.0", "layers.1"}) {
    saved(100, std::string(block) + ".mlp", "aten::gelu");
    saved(1, block, "aten::add");
    Block& copy = alive(30, Category::kActivation, "autocast_copy", std::string(block) + ".mlp");
    copy.death_sequence = 55;
  }
  alive(500, Category::kActivation, "autocast_copy", "lm_head").death_sequence = 55;
  Savings savings(facts_);
  for (const Block& block : facts_.blocks) savings.add(block);
  EXPECT_EQ(savings.bytes(Saving::kCheckpoints, &facts_.phases.back()), 100U + 30U)
      << "of the block that goes backward both are there";
  EXPECT_EQ(savings.bytes(Saving::kCheckpoints, &facts_.phases.front()), 100U) << "in forward all are";
  for (Block& block : facts_.blocks) block.death_sequence = 65;
  EXPECT_EQ(savings.bytes(Saving::kCheckpoints, &facts_.phases.back()), 130U) << "of what was added";
  Savings within(facts_);
  for (const Block& block : facts_.blocks) within.add(block);
  EXPECT_EQ(within.bytes(Saving::kCheckpoints, &facts_.phases.back()), 100U)
      << "whose backward is within autocast, which holds them";
}

TEST_F(CheckpointedBlocksTest, WhatAForwardBeforeItKeptIsToCome) {
  phase(STRATA_PHASE_BACKWARD, 16, 18);
  phase(STRATA_PHASE_FORWARD, 20, 60);
  for (const char* const block : {"layers.0", "layers.1", "layers.2"})
    alive(1, Category::kParameter, "parameter").name = text(std::string(block) + ".weight");
  const auto kept = [&](std::uint64_t bytes, const std::string& layer, std::uint64_t birth,
                        std::uint64_t death) {
    Block& block = saved(bytes, layer, "aten::mm");
    block.birth_sequence = birth;
    block.death_sequence = death;
  };
  kept(600, "layers.0", 6, 17);
  kept(200, "layers.1", 7, 17);
  kept(50, "layers.2", 8, 17);
  kept(900, "head", 8, 17);
  kept(600, "layers.0", 30, 90);
  facts_.repeated_block_lengths = repeated_block_lengths(facts_);
  const ForwardToCome to_come = forward_to_come(facts_, failure_);
  EXPECT_EQ(to_come.bytes, 250U) << "not twice what the first block kept, nor a head's";
  EXPECT_TRUE(to_come.is_as_before && !to_come.is_untold && !to_come.has_other_blocks);
  phase(STRATA_PHASE_EVALUATION, 19, 70);
  EXPECT_FALSE(forward_to_come(facts_, failure_).is_as_before) << "an evaluation keeps none";
  facts_.phases.pop_back();
  kept(300, "layers.1", 31, 90);
  EXPECT_FALSE(forward_to_come(facts_, failure_).is_as_before);
  EXPECT_TRUE(forward_to_come(facts_, failure_).is_untold) << "900 are more than the 850 of the one before";
}

}  // namespace
}  // namespace strata::analysis
