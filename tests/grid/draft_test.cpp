// SPDX-License-Identifier: Apache-2.0
// A grid's cells: base, set, axes, exclusions, additions, seeds, and the command line, which overrides all.
#include "host/grid/plan/draft.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/grid/grid_text.hpp"
#include "tests/temporary_folder.hpp"

namespace strata::test {
namespace {

using Texts = std::vector<std::string>;

bool says(const grid::Cell& cell, const std::string& line) {
  return cell.config_yaml.find(line + "\n") != std::string::npos;
}

TEST(Draft, MergesBasesInTheirOrder) {
  const TemporaryFolder folder;
  folder.write("one.yaml",
               "model: {size: custom, layers: 1, d_model: 8, d_ff: 8, heads: 1, vocab: 16, context: "
               "4}\naccumulation: 2\n");
  folder.write("two.yaml", "model: {layers: 5}\n");
  const auto file = folder.write(
      "g.yaml", "grid: 1\nbase: [one.yaml, two.yaml, {optimizer: {lr: 0.25}}]\nset: {seed: 7}\n");
  const grid::Planned planned = grid::plan_grid(grid::load_grid(file));
  ASSERT_EQ(planned.plan.cells.size(), 1U);
  for (const char* const line : {"  layers: 5", "  d_model: 8", "accumulation: 2", "  lr: 0.25", "seed: 7"})
    EXPECT_TRUE(says(planned.plan.cells[0], line)) << line << "\n" << planned.plan.cells[0].config_yaml;
}

TEST(Draft, LooksForFilesBesideTheBaseThatNamesThem) {
  const TemporaryFolder folder;
  folder.write("base/one.yaml",
               "model: {size: custom, layers: 1, d_model: 8, d_ff: 8, heads: 1, vocab: 256, context: 4}\n"
               "data: {source: text, path: words.txt}\n");
  folder.write("base/words.txt", std::string(1000, 'x'));
  const auto file = folder.write("g.yaml", "grid: 1\nbase: base/one.yaml\n");
  EXPECT_EQ(grid::plan_grid(grid::load_grid(file)).plan.cells.size(), 1U);
}

TEST(Draft, ExcludesWhatARuleTakes) {
  EXPECT_EQ(cells("axes: {model.layers: [1, 2, 3], accumulation: [1, 4]}\nexclude: [{model.layers: '>=2', "
                  "accumulation: 4}]"),
            (Texts{"model.layers=1 accumulation=1", "model.layers=1 accumulation=4",
                   "model.layers=2 accumulation=1", "model.layers=3 accumulation=1"}));
}

TEST(Draft, ExcludesByALabelAndByADefault) {
  EXPECT_EQ(cells("axes: {kind: {a: {seed: 1}, b: {seed: 2}}}\nexclude: [{kind: a, precision: fp32}]"),
            (Texts{"kind=b"}));
}

TEST(Draft, ExcludesByWhatTheCommandLineSays) {
  const TemporaryFolder folder;
  const auto file = folder.write("g.yaml",
                                 "grid: 1\nset: {model: {size: custom, layers: 1, d_model: 8, d_ff: 8, "
                                 "heads: 1, vocab: 16, context: 4}}\n"
                                 "axes: {accumulation: [1, 2]}\nexclude: [{accumulation: 2, seed: '>=5'}]\n");
  const auto count = [&](const std::vector<std::string>& words) {
    return grid::plan_grid(grid::load_grid(file, words)).plan.cells.size();
  };
  EXPECT_EQ(count({}), 2U);
  EXPECT_EQ(count({"seed=7"}), 1U);
}

// An excluded combination may be invalid without an error.
TEST(Draft, DoesNotCheckWhatIsExcluded) {
  EXPECT_EQ(
      cells("axes: {optimizer.name: [adamw, sgd], optimizer.impl: [fused, loop], accumulation: [1, -1]}\n"
            "exclude: [{accumulation: -1}]")
          .size(),
      4U);
}

TEST(Draft, SaysWhenARuleTakesNothing) {
  const grid::Planned planned = plan("axes: {accumulation: [1, 2]}\nexclude: [{accumulation: 3}]");
  EXPECT_EQ(planned.excluded[0].cells, 0U);
  EXPECT_TRUE(std::ranges::any_of(
      planned.notes, [](const std::string& note) { return note.ends_with("excludes no cell"); }));
}

TEST(Draft, IncludesWholeCells) {
  EXPECT_EQ(
      cells("axes: {accumulation: [1, 2]}\ninclude: [{name: deep, model.layers: 9}, {model.layers: 8}]"),
      (Texts{"accumulation=1", "accumulation=2", "include=deep", "include=model.layers=8"}));
}

TEST(Draft, RepeatsWithSeeds) {
  EXPECT_EQ(cells("set: {seed: 5}\nrepeats: 2"), (Texts{"seed=5", "seed=6"}));
  EXPECT_EQ(cells("axes: {accumulation: [1, 2]}\nseeds: [3, 1]"),
            (Texts{"accumulation=1 seed=3", "accumulation=1 seed=1", "accumulation=2 seed=3",
                   "accumulation=2 seed=1"}));
}

TEST(Draft, LetsTheCommandLineWin) {
  const std::string grid = "axes: {accumulation: [1, 2], model.layers: [1, 2]}";
  EXPECT_EQ(cells(grid, {"accumulation=8"}), (Texts{"model.layers=1", "model.layers=2"}));
  EXPECT_TRUE(says(plan(grid, {"accumulation=8"}).plan.cells[0], "accumulation: 8"));
  EXPECT_EQ(cells(grid, {"accumulation=[3, 4]", "model.layers=1"}),
            (Texts{"accumulation=3", "accumulation=4"}));
  EXPECT_EQ(cells(grid, {"accumulation=1", "model.layers=1", "seed=[1, 2]"}), (Texts{"seed=1", "seed=2"}));
  EXPECT_EQ(cells(grid, {"accumulation=1", "model.layers=1", "repeats=3"}).size(), 3U);
}

TEST(Draft, RepeatsCountOnFromTheSeedOfTheCommandLine) {
  EXPECT_EQ(cells("set: {seed: 5}\nrepeats: 2", {"seed=7"}), (Texts{"seed=7", "seed=8"}));
  EXPECT_TRUE(says(plan("repeats: 2", {"seed=7"}).plan.cells.at(1), "seed: 8"));
  EXPECT_EQ(cells("seeds: [3, 1]", {"seed=7"}), (Texts{""}));
  EXPECT_TRUE(says(plan("seeds: [3, 1]", {"seed=7"}).plan.cells.at(0), "seed: 7"));
  EXPECT_EQ(cells("seeds: [3, 1]", {"seed=7", "seeds=[2, 4]"}), (Texts{"seed=2", "seed=4"}));
}

// Once per cell, however many rules read it.
TEST(Draft, TellsAProblemOfTheCommandLineOnce) {
  const std::vector<std::string> problems = grid_problems(
      kTinyBase + "axes: {accumulation: [1, 2]}\nexclude: [{accumulation: 2}]", {"model.lairs=2"});
  ASSERT_EQ(problems.size(), 1U);
  EXPECT_NE(problems.front().find("model.lairs"), std::string::npos) << problems.front();
}

TEST(Draft, MakesOneCellOfTwoThatAreTheSame) {
  const grid::Planned planned = plan("axes: {optimizer.lr: [1e-3, 0.001]}");
  EXPECT_EQ(planned.plan.cells.size(), 1U);
  EXPECT_TRUE(std::ranges::any_of(
      planned.notes, [](const std::string& note) { return note.ends_with("one cell for both"); }));
}

TEST(Draft, RefusesMoreCellsThanAreAllowed) {
  EXPECT_THROW(plan("axes: {seed: {from: 1, to: 11, step: 1}}\nlimits: {max_cells: 10}"),
               config::ConfigError);
  EXPECT_NO_THROW(plan("axes: {seed: {from: 1, to: 10, step: 1}}\nlimits: {max_cells: 10}"));
  EXPECT_THROW(plan("axes: {seed: {from: 1, to: 2000, step: 1}, accumulation: {from: 1, to: 2000, step: 1}}"),
               config::ConfigError);
}

}  // namespace
}  // namespace strata::test
