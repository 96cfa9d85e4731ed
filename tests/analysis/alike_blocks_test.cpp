// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/peak/alike_blocks.hpp"
#include "host/analysis/facts/facts.hpp"

#include <gtest/gtest.h>

namespace strata::analysis {
namespace {

using Groups = std::vector<std::vector<std::uint32_t>>;

TEST(AlikeBlocks, AreOfOneSizeAndOriginWhateverTheirLayer) {
  Facts facts;
  facts.texts = {"", "layers.0.weight", "layers.11.weight", "head.weight", "float32", "4x4"};
  facts.forms.push_back({4, 5});
  const auto add = [&](std::uint64_t bytes, std::uint32_t name, std::uint32_t form) {
    Block block;
    block.bytes = bytes;
    block.name = name;
    block.form = form;
    facts.blocks.push_back(block);
  };
  add(64, 1, 1);
  add(64, 3, 1);
  add(64, 2, 1);
  add(64, 1, 0);  // unknown shape, so it differs
  add(32, 1, 1);
  EXPECT_EQ(alike_blocks(facts, std::vector<std::uint32_t>{0, 1, 2, 3, 4}), (Groups{{0, 2}, {1}, {3}, {4}}));
  EXPECT_EQ(alike_blocks(facts, std::vector<std::uint32_t>{4, 2}), (Groups{{4}, {2}}));
  EXPECT_TRUE(alike_blocks(facts, {}).empty());
}

}  // namespace
}  // namespace strata::analysis
