// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/layers/layer_tree.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "host/analysis/analyse.hpp"
#include "host/analysis/memory/timeline.hpp"
#include "strata/ext/phase.h"
#include "strata/ext/step.h"
#include "strata/ext/tensor.h"
#include "tests/analysis/random_run.hpp"
#include "tests/analysis/run_builder.hpp"
#include "tests/analysis/training_run.hpp"

namespace strata::analysis {
namespace {

using testing::RunBuilder;

const LayerNode& node(const LayerTree& tree, const std::string& path) {
  const auto found = std::ranges::find(tree.nodes, path, &LayerNode::path);
  if (found == tree.nodes.end()) throw std::out_of_range("no node " + path);
  return *found;
}

std::uint64_t of(const CategoryBytes& bytes, Category category) {
  return bytes[static_cast<std::size_t>(category)];
}

Facts facts_of(const std::vector<std::pair<std::string, std::uint64_t>>& layers) {
  Facts facts;
  facts.texts = {""};
  facts.end_ns = 100;
  for (const auto& [layer, bytes] : layers) {
    Block block;
    block.bytes = bytes;
    block.birth_sequence = facts.blocks.size() + 1;
    block.category = Category::kActivation;
    block.kind = BlockKind::kSaved;
    if (!layer.empty()) {
      facts.texts.push_back(layer);
      block.layer = static_cast<std::uint32_t>(facts.texts.size() - 1);
    }
    facts.blocks.push_back(block);
  }
  return facts;
}

TEST(LayerTree, AddsUpWhatIsBelow) {
  const Facts facts = facts_of({{"layers.0.attn.wq", 8}, {"layers.0.attn", 1}, {"layers.1", 4}, {"", 16}});
  const LayerTree tree = layer_tree(facts, 10, {});
  EXPECT_EQ(sum(tree.nodes.front().total), 29u);
  EXPECT_EQ(sum(tree.nodes.front().self), 0u);
  EXPECT_EQ(sum(node(tree, "layers").total), 13u);
  EXPECT_EQ(sum(node(tree, "layers").self), 0u);
  EXPECT_EQ(sum(node(tree, "layers.0.attn").total), 9u);
  EXPECT_EQ(sum(node(tree, "layers.0.attn").self), 1u);
  EXPECT_EQ(node(tree, "layers").blocks, 3u);
  EXPECT_EQ(sum(node(tree, "(no phase)").self), 16u);
  EXPECT_EQ(node(tree, "layers.0.attn.wq").depth, 4u);
}

TEST(LayerTree, HasParentsFirstAndOfSiblingsTheLargest) {
  const LayerTree tree = layer_tree(facts_of({{"a.x", 1}, {"b.y", 5}, {"b.z", 6}, {"c", 11}}), 10, {});
  std::vector<std::string> paths;
  for (const LayerNode& one : tree.nodes) paths.push_back(one.path);
  EXPECT_EQ(paths, (std::vector<std::string>{"", "b", "b.z", "b.y", "c", "a", "a.x"}));
  for (std::size_t index = 1; index < tree.nodes.size(); ++index) {
    EXPECT_LT(tree.nodes[index].parent, index);
    EXPECT_EQ(tree.nodes[index].depth, tree.nodes[tree.nodes[index].parent].depth + 1);
  }
}

TEST(LayerTree, HasNumbersInTheirOrder) {
  const LayerTree tree = layer_tree(facts_of({{"10", 1}, {"9", 1}, {"b", 1}, {"", 1}}), 10, {});
  std::vector<std::string> paths;
  for (const LayerNode& one : tree.nodes) paths.push_back(one.path);
  EXPECT_EQ(paths, (std::vector<std::string>{"", "(no phase)", "9", "10", "b"}));
}

TEST(LayerTree, SaysTheMostAndTheMeansOverItsInterval) {
  Facts facts = facts_of({{"a.x", 100}, {"a.y", 40}, {"a.x", 10}});
  // 100 from before the interval; 40 from event 11 (20 ns) to 12 (30 ns); 10 from 13 (40 ns). The interval
  // ends at 50.
  facts.blocks[0].birth_sequence = 1;
  facts.blocks[1].birth_sequence = 11, facts.blocks[1].birth_ns = 20;
  facts.blocks[1].death_sequence = 12, facts.blocks[1].death_ns = 30;
  facts.blocks[2].birth_sequence = 13, facts.blocks[2].birth_ns = 40;
  const LayerTree tree = layer_tree(facts, 13, {0, 10, 20, 10, 50});
  const LayerNode& a = node(tree, "a");
  EXPECT_EQ(sum(a.total), 110u);
  EXPECT_EQ(a.most_bytes, 140u);  // not at the tree's moment
  EXPECT_DOUBLE_EQ(a.mean_over_events, (140.0 + 100.0 + 110.0) / 3.0);
  EXPECT_DOUBLE_EQ(a.mean_over_time, (100.0 * 10 + 140.0 * 10 + 100.0 * 10 + 110.0 * 10) / 40.0);
  const LayerNode& y = node(tree, "a.y");
  EXPECT_EQ(sum(y.total), 0u);  // freed by then, but still in the tree
  EXPECT_EQ(y.most_bytes, 40u);
  EXPECT_DOUBLE_EQ(y.mean_over_events, 40.0 / 3.0);
  EXPECT_DOUBLE_EQ(y.mean_over_time, 10.0);
}

// One event: the level between the two does not count.
TEST(LayerTree, AnAddressHandedOutAgainIsNeverThereTwice) {
  Facts facts = facts_of({{"a", 100}, {"a", 100}});
  facts.blocks[0].death_sequence = facts.blocks[1].birth_sequence = 5;
  const LayerTree tree = layer_tree(facts, 5, {0, 1, 9, 0, 10});
  EXPECT_EQ(node(tree, "a").most_bytes, 100u);
  EXPECT_DOUBLE_EQ(tree.nodes.front().mean_over_events, 100.0);
}

TEST(LayerTree, EndsAtSixtyFourParts) {
  std::string path = "m";
  for (int part = 0; part < 5000; ++part) path += ".m";
  const LayerTree tree = layer_tree(facts_of({{path, 7}, {"..", 3}}), 10, {});
  EXPECT_EQ(std::ranges::max(tree.nodes, {}, &LayerNode::depth).depth, 64u);
  EXPECT_EQ(sum(node(tree, path).self), 7u);
  EXPECT_EQ(sum(node(tree, "..").self), 3u);
  EXPECT_EQ(sum(tree.nodes.front().total), 10u);
}

TEST(LayerTree, OfNothingHasTheRootAlone) {
  const LayerTree tree = layer_tree(Facts{}, 0, {});
  ASSERT_EQ(tree.nodes.size(), 1u);
  EXPECT_EQ(sum(tree.nodes.front().total), 0u);
}

// Parameters, gradients and state belong to the module in the parameter's name, whichever module allocated
// them.
TEST(LayerTree, OwnersStandInTheirModules) {
  RunBuilder run;
  std::uint64_t scale = 0, weight = 0, input = 0;
  run.phase(STRATA_PHASE_SETUP, "setup", [&] {
    weight = run.allocate(100);
    scale = run.allocate(10);
  });
  run.tensor(STRATA_TENSOR_PARAMETER, "layers.0.attn.wq.weight", weight);
  run.tensor(STRATA_TENSOR_PARAMETER, "scale", scale);
  run.step(0, STRATA_STEP_ACTIVE, [&] {
    run.phase(STRATA_PHASE_DATA, "data", [&] { input = run.allocate(3); });
    run.tensor(STRATA_TENSOR_INPUT, "input", input);
    std::uint64_t gradient = 0;
    run.phase(STRATA_PHASE_BACKWARD, "backward", [&] { gradient = run.allocate(100); });
    run.tensor(STRATA_TENSOR_GRADIENT, "layers.0.attn.wq.weight", gradient, weight);
    std::uint64_t state = 0, unknown = 0;
    run.phase(STRATA_PHASE_OPTIMIZER, "optimizer", [&] {
      state = run.allocate(200);
      unknown = run.allocate(30);
      run.free(run.allocate(1000));
    });
    run.tensor(STRATA_TENSOR_OPTIMIZER_STATE, "exp_avg", state, weight);
    run.tensor(STRATA_TENSOR_OPTIMIZER_STATE, "count", unknown);
  });
  const Facts facts = analyse(run.finish());
  const LayerTree& tree = facts.layers;
  const LayerNode& module = node(tree, "layers.0.attn.wq");
  EXPECT_EQ(of(module.self, Category::kParameter), 100u);
  EXPECT_EQ(of(module.self, Category::kGradient), 100u);
  EXPECT_EQ(of(module.self, Category::kOptimizerState), 200u);
  EXPECT_EQ(of(node(tree, "(model)").self, Category::kParameter), 10u);
  EXPECT_EQ(of(node(tree, "(input)").self, Category::kInput), 3u);
  EXPECT_EQ(of(node(tree, "(state)").self, Category::kOptimizerState), 30u);
  EXPECT_EQ(of(node(tree, "(optimizer)").self, Category::kTemporary), 1000u);
}

// What each module of `tree` must hold, computed from the blocks alone.
void expect_tree_by_definition(const Facts& facts, const LayerTree& tree) {
  const LayerNode& root = tree.nodes.front();
  EXPECT_EQ(root.total, facts.peak.categories);
  EXPECT_EQ(sum(root.total), facts.peak.allocated_bytes);
  std::vector<CategoryBytes> below(tree.nodes.size());
  for (std::size_t index = tree.nodes.size(); index-- > 0;) {
    const LayerNode& one = tree.nodes[index];
    for (std::size_t category = 0; category < kCategories; ++category) {
      ASSERT_EQ(one.total[category], one.self[category] + below[index][category]) << one.path;
      if (index > 0) below[one.parent][category] += one.total[category];
    }
    EXPECT_LE(one.most_bytes, root.most_bytes);
    EXPECT_LE(one.mean_over_events, static_cast<double>(one.most_bytes) + 1e-6);
    EXPECT_LE(one.mean_over_time, static_cast<double>(one.most_bytes) + 1e-6);
    EXPECT_GE(one.most_bytes, sum(one.total));  // the peak is in the interval
  }
  // The root equals the timeline.
  const RunInterval& interval = tree.interval;
  auto [first, last] = points_within(facts.points, interval.begin_sequence, interval.end_sequence);
  double levels = 0.0;
  for (std::size_t point = first; point < last; ++point)
    levels += static_cast<double>(allocated_bytes(facts.points[point]));
  if (last > first) {
    EXPECT_NEAR(root.mean_over_events, levels / static_cast<double>(last - first), 1e-6 * (1.0 + levels));
  }
  const auto highest = highest_point(facts.points, interval.begin_sequence, interval.end_sequence);
  EXPECT_EQ(root.most_bytes, highest ? allocated_bytes(facts.points[*highest]) : 0);
}

TEST(LayerTree, PropertiesOfRandomRuns) {
  for (std::uint32_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    const Facts facts = analyse(testing::random_run(seed));
    expect_tree_by_definition(facts, facts.layers);
  }
}

TEST(LayerTree, OfTrainingRunsAddsUp) {
  for (const testing::TrainingOptions& options :
       {testing::TrainingOptions{}, testing::TrainingOptions{.set_to_none = false},
        testing::TrainingOptions{.checkpointing = true}, testing::TrainingOptions{.backward = false}}) {
    const Facts facts = analyse(testing::make_training_run(options).recording);
    expect_tree_by_definition(facts, facts.layers);
    EXPECT_GT(of(node(facts.layers, "layers.0").total, Category::kParameter), 0u);
  }
}

}  // namespace
}  // namespace strata::analysis
