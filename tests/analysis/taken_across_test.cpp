// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/peak/taken_across.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "host/analysis/peak/narrowed_by_autocast.hpp"
#include "tests/analysis/forward_fixture.hpp"

namespace strata::analysis {
namespace {

class TakenAcrossTest : public ForwardTest {
 protected:
  // What an encoder's last layer makes, up to its norm; returns that.
  std::size_t encoder_ends(std::uint64_t bytes) {
    made("aten::native_layer_norm", bytes);
    made("aten::addmm", 4 * bytes);
    made("aten::gelu", 4 * bytes);
    made("aten::addmm", bytes);
    return made("aten::native_layer_norm", bytes);
  }

  // A decoder's attention to it, and its feed-forward behind.
  void decoder_layer(std::uint64_t bytes, const std::vector<std::uint64_t>& keys_and_values) {
    made("aten::native_layer_norm", bytes);
    made("aten::addmm", bytes);
    for (const std::uint64_t projection : keys_and_values) {
      made("aten::mm", projection);
      made("aten::clone", projection);
    }
    made("aten::_efficient_attention_forward", bytes);
    made("aten::addmm", bytes);
    made("aten::native_layer_norm", bytes);
    made("aten::addmm", 4 * bytes);
    made("aten::gelu", 4 * bytes);
    made("aten::addmm", bytes);
  }

  std::vector<int> takers() const { return takers_across(facts_); }
  int all() const {
    int sum = 0;
    for (const int takers : takers()) sum += takers;
    return sum;
  }
};

// As of a Whisper: each decoder's layer has two copies of it in 16 bits.
TEST_F(TakenAcrossTest, KeysAndValuesOfEachLayerTakeWhatTheEncoderGave) {
  const std::size_t given = encoder_ends(1500);
  for (int layer = 0; layer < 3; ++layer) decoder_layer(128, {1500, 1500});
  EXPECT_EQ(takers()[given], 6);
  EXPECT_EQ(all(), 6) << "and nothing else is taken across";
  EXPECT_EQ(narrowed_by_autocast(facts_)[given], 1500 - 6 * 750);
}

TEST_F(TakenAcrossTest, OneProductOfBothTakesItOnce) {
  const std::size_t given = encoder_ends(1500);
  decoder_layer(128, {3000});
  EXPECT_EQ(takers()[given], 1);
}

// As of a T5: its norm is in pieces, and a dropout is last.
TEST_F(TakenAcrossTest, WhatADropoutOrANormInPiecesGivesIsTakenToo) {
  encoder_ends(1500);
  made("aten::rsqrt", 4, "final_norm");
  made("aten::mul", 1500, "final_norm");
  const std::size_t weighted = made("aten::mul", 1500, "final_norm");
  decoder_layer(128, {1500, 1500});
  EXPECT_EQ(takers()[weighted], 2);
  const std::size_t dropped_out = made("aten::native_dropout", 1500);
  decoder_layer(128, {1500, 1500});
  EXPECT_EQ(takers()[dropped_out], 2);
}

// A Llama with grouped queries: rotated keys are as large as the keys are.
TEST_F(TakenAcrossTest, KeysThatAreSmallerThanTheQueryAreOfTheSameLayer) {
  for (int layer = 0; layer < 3; ++layer) {
    made("aten::rsqrt", 4, "norm");
    made("aten::mul", 1500, "norm");
    made("aten::mul", 1500, "norm");
    made("aten::mm", 1500);
    made("aten::mm", 375);
    made("aten::mm", 375);
    made("aten::mul", 375, "attention");
    made("aten::_efficient_attention_forward", 1500);
    made("aten::mm", 1500);
  }
  EXPECT_EQ(all(), 0);
}

TEST_F(TakenAcrossTest, AnEncoderAloneIsNotTakenAcross) {
  for (int layer = 0; layer < 3; ++layer) {
    encoder_ends(1500);
    for (int projection = 0; projection < 3; ++projection) made("aten::addmm", 1500);
    made("aten::bmm", 900);
    made("aten::_softmax", 900);
    made("aten::bmm", 1500);
    made("aten::addmm", 1500);
  }
  EXPECT_EQ(all(), 0);
}

TEST_F(TakenAcrossTest, WhatIsGoneIsTakenByNobody) {
  const std::size_t given = encoder_ends(1500);
  facts_.blocks[given].death_sequence = facts_.blocks.size();
  decoder_layer(128, {1500, 1500});
  EXPECT_EQ(takers()[given], 0);
}

TEST_F(TakenAcrossTest, AFeedForwardOfTheEncodersSizeIsNoAttention) {
  const std::size_t given = encoder_ends(512);
  made("aten::native_layer_norm", 128);
  made("aten::addmm", 512);
  made("aten::gelu", 512);
  made("aten::addmm", 128);
  made("aten::native_layer_norm", 128);
  made("aten::mm", 512);
  made("aten::mm", 512);
  made("aten::silu", 512);
  made("aten::mm", 128);
  EXPECT_EQ(takers()[given], 0);
}

}  // namespace
}  // namespace strata::analysis
