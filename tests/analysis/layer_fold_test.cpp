// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/layers/layer_fold.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "host/analysis/analyse.hpp"
#include "tests/analysis/random_run.hpp"

namespace strata::analysis {
namespace {

struct Held {
  std::string layer;
  Category category;
  std::uint64_t bytes;
  std::uint64_t rounding_bytes = 0;
};

LayerTree folded(const std::vector<Held>& blocks) {
  Facts facts;
  facts.texts = {""};
  for (const Held& held : blocks) {
    Block block;
    block.bytes = held.bytes;
    block.rounding_bytes = held.rounding_bytes;
    block.birth_sequence = 1;
    block.category = held.category;
    facts.texts.push_back(held.layer);
    block.layer = static_cast<std::uint32_t>(facts.texts.size() - 1);
    facts.blocks.push_back(block);
  }
  return folded_layer_tree(facts, 1, {});
}

std::vector<std::string> paths(const LayerTree& tree) {
  std::vector<std::string> list;
  for (const LayerNode& node : tree.nodes) list.push_back(node.path);
  return list;
}

// For one of them the allocator handed out a block without splitting it.
TEST(FoldedLayers, AreAlikeHoweverTheirBlocksAreRounded) {
  using enum Category;
  const LayerTree tree = folded({{"layers.0", kParameter, 10}, {"layers.1", kParameter, 14, 4}});
  EXPECT_EQ(paths(tree), (std::vector<std::string>{"", "layers", "layers.[0-1]"}));
}

TEST(FoldedLayers, AreAlikeWithTheSameParameters) {
  using enum Category;
  const LayerTree tree = folded({{"layers.0.attn", kParameter, 10},
                                 {"layers.0.ffn", kParameter, 20},
                                 {"layers.1.attn", kParameter, 10},
                                 {"layers.1.attn", kActivation, 5},
                                 {"layers.1.ffn", kParameter, 20},
                                 {"layers.3.attn", kParameter, 10},
                                 {"layers.3.ffn", kParameter, 21},
                                 {"layers.4.attn", kParameter, 10},
                                 {"layers.4.ffn", kParameter, 20}});
  EXPECT_EQ(paths(tree),
            (std::vector<std::string>{"", "layers", "layers.[0-1,4]", "layers.[0-1,4].ffn",
                                      "layers.[0-1,4].attn", "layers.3", "layers.3.ffn", "layers.3.attn"}));
  const LayerNode& three = tree.nodes[2];
  EXPECT_EQ(three.members, 3u);
  EXPECT_EQ(sum(three.total), 95u);
  EXPECT_EQ(three.smallest_bytes, 30u);
  EXPECT_EQ(three.largest_bytes, 35u);
  EXPECT_EQ(three.most_bytes, 95u);  // of all three together
  EXPECT_EQ(tree.nodes[4].smallest_bytes, 10u);
  EXPECT_EQ(tree.nodes[4].largest_bytes, 15u);
}

// The weight of 0 has the name that module 1 has.
TEST(FoldedLayers, AreNoneOfOneNumberOrOfOtherNames) {
  using enum Category;
  EXPECT_EQ(paths(folded({{"a.0", kParameter, 3}, {"a.x", kParameter, 2}, {"a.1x", kParameter, 1}})),
            (std::vector<std::string>{"", "a", "a.0", "a.x", "a.1x"}));
  EXPECT_EQ(
      paths(folded({{"a.99999999999", kActivation, 3}, {"a.-1", kActivation, 2}, {"a.", kActivation, 1}})),
      (std::vector<std::string>{"", "a", "a.99999999999", "a.-1", "a."}));
}

// A convolution and its normalisation layer are numbered too.
TEST(FoldedLayers, AreNoneOfOtherParameters) {
  using enum Category;
  EXPECT_EQ(
      paths(folded({{"block.0", kParameter, 30}, {"block.1", kParameter, 2}, {"block.2", kParameter, 30}})),
      (std::vector<std::string>{"", "block", "block.[0,2]", "block.1"}));
}

TEST(FoldedLayers, OfRandomRunsAddUpAsBefore) {
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    const Facts facts = analyse(testing::random_run(seed));
    const LayerTree tree = folded_layer_tree(facts, facts.layers.sequence, facts.layers.interval);
    const LayerNode& root = tree.nodes.front();
    EXPECT_EQ(root.total, facts.peak.categories);
    EXPECT_EQ(root.most_bytes, facts.layers.nodes.front().most_bytes);
    EXPECT_DOUBLE_EQ(root.mean_over_events, facts.layers.nodes.front().mean_over_events);
    std::uint32_t members = 0;
    std::uint64_t self = 0;
    for (const LayerNode& node : tree.nodes) {
      members += node.members;
      self += sum(node.self);
      EXPECT_LE(node.smallest_bytes, node.largest_bytes);
      EXPECT_LE(node.smallest_bytes * node.members, sum(node.total));
      EXPECT_GE(node.largest_bytes * node.members, sum(node.total));
    }
    EXPECT_EQ(members, facts.layers.nodes.size());
    EXPECT_EQ(self, facts.peak.allocated_bytes);
  }
}

}  // namespace
}  // namespace strata::analysis
