// SPDX-License-Identifier: Apache-2.0
// Properties of every grid.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <set>

#include "tests/grid/grid_text.hpp"

namespace strata::test {
namespace {

struct Random {
  explicit Random(unsigned seed) : engine(seed) {}
  int below(int limit) { return static_cast<int>(engine() % static_cast<unsigned>(limit)); }
  std::mt19937 engine;
};

struct RandomGrid {
  std::string text;
  std::size_t combinations = 1;
};

RandomGrid random_grid(Random& random) {
  const std::vector<std::string> keys{"accumulation", "model.layers", "model.context", "data.batch_size",
                                      "schedule.active"};
  RandomGrid grid;
  grid.text = "axes:\n";
  for (const std::string& key : keys) {
    if (random.below(3) == 0) continue;
    const int count = 1 + random.below(3);
    grid.text += fmt::format("  {}: [", key);
    for (int index = 0; index < count; ++index)
      grid.text += fmt::format("{}{}", index == 0 ? "" : ", ", 2 + 3 * index + random.below(2));
    grid.text += "]\n";
    grid.combinations *= static_cast<std::size_t>(count);
  }
  if (grid.text == "axes:\n") grid.text = "axes: {}\n";
  return grid;
}

TEST(RandomGrid, HasTheProductOfItsAxesWithDifferentIds) {
  Random random(1);
  for (int round = 0; round < 12; ++round) {
    const RandomGrid grid = random_grid(random);
    const grid::Plan plan = test::plan(grid.text).plan;
    EXPECT_EQ(plan.cells.size(), grid.combinations) << grid.text;
    std::set<std::string> ids, texts;
    for (const grid::Cell& cell : plan.cells) {
      ids.insert(cell.id);
      texts.insert(cell.text());
    }
    EXPECT_EQ(ids.size(), plan.cells.size());
    EXPECT_EQ(texts.size(), plan.cells.size());
  }
}

TEST(RandomGrid, KeepsEachIdWhateverElseIsInTheGrid) {
  Random random(2);
  for (int round = 0; round < 12; ++round) {
    const RandomGrid grid = random_grid(random);
    std::set<std::string> all, fewer;
    for (const grid::Cell& cell : test::plan(grid.text).plan.cells) all.insert(cell.id);
    const grid::Planned part = test::plan(
        grid.text +
        "exclude: [{accumulation: '>3'}, {model.layers: '>4'}]\nname: other\nengine: {slots: 1}\n");
    std::size_t excluded = 0;
    for (const grid::ExcludedBy& rule : part.excluded) excluded += rule.cells;
    for (const grid::Cell& cell : part.plan.cells) fewer.insert(cell.id);
    EXPECT_TRUE(std::ranges::includes(all, fewer));
    EXPECT_EQ(fewer.size() + excluded, all.size());
  }
}

}  // namespace
}  // namespace strata::test
