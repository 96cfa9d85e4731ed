// SPDX-License-Identifier: Apache-2.0
// Every way in which a grid can be invalid: all problems at once, with their positions.
#include <gtest/gtest.h>

#include "tests/grid/grid_text.hpp"
#include "tests/temporary_folder.hpp"

namespace strata::test {
namespace {

using Texts = std::vector<std::string>;

struct GridCase {
  std::string name, rest;
  Texts expected;
};

class OneGrid : public testing::TestWithParam<GridCase> {};

TEST_P(OneGrid, SaysWhatIsWrongAndWhere) {
  EXPECT_EQ(grid_problems(kTinyBase + GetParam().rest), GetParam().expected);
}

INSTANTIATE_TEST_SUITE_P(
    Grids, OneGrid,
    testing::Values(
        GridCase{
            "misspelt_key",
            "axis: {}",
            {"g.yaml:3:1: axis: unknown key of a grid; did you mean 'axes'?; expected one of grid, name, "
             "base, set, axes, exclude, include, repeats, seeds, limits, engine, plugins, device, program, "
             "world, ranks"}},
        GridCase{"key_of_a_run",
                 "optimizer: {lr: 1}",
                 {"g.yaml:3:1: optimizer: is a key of a run; in a grid, put it under `set` or `axes`"}},
        GridCase{"unknown_axis",
                 "axes: {model.layer: [1]}",
                 {"g.yaml:3:22: model.layer: is not a key of a run, so each of its values must be a mapping "
                  "of keys, found '1'; did you mean 'layers'?"}},
        GridCase{"axis_of_names_alone",
                 "axes: {optimiser: [{name: sgd}, {name: adamw}]}",
                 {"g.yaml:3:19: optimiser: is not a key of a run, and none of its values sets one; did you "
                  "mean 'optimizer'?"}},
        GridCase{"axis_that_was_meant_to_be_a_section",
                 "axes: {optimiser: {a: {name: adamw}, s: {name: sgd, momentum: 0.9}}}",
                 {"g.yaml:3:53: momentum: unknown key of a run; the axis's name 'optimiser' is not a key, "
                  "either; did you mean 'optimizer'?"}},
        GridCase{"unknown_in_set",
                 "set: {optimizer.lrr: 1}",
                 {"g.yaml:3:7: optimizer.lrr: unknown key of a run; did you mean 'lr'?"}},
        GridCase{"list_in_set",
                 "set: {optimizer.lr: [1, 2]}",
                 {"g.yaml:3:21: optimizer.lr: expected one value, found a list; put lists of values under "
                  "`axes`"}},
        GridCase{
            "empty_axis", "axes: {seed: []}", {"g.yaml:3:14: seed: expected at least one value, found none"}},
        GridCase{"same_label", "axes: {seed: [1, 1]}", {"g.yaml:3:18: seed: has the value 1 twice"}},
        GridCase{"seed_and_repeats",
                 "axes: {seed: [1, 2]}\nrepeats: 2",
                 {"g.yaml:3:14: seed: cannot be an axis together with repeats or seeds"}},
        GridCase{"range_backwards",
                 "axes: {seed: {from: 3, to: 1, step: 1}}",
                 {"g.yaml:3:14: seed: to is less than from"}},
        GridCase{"range_for_ever",
                 "axes: {seed: {from: 1, to: 3, times: 1}}",
                 {"g.yaml:3:14: seed: times must be above 1, and from above 0"}},
        GridCase{"exclude_unknown",
                 "exclude: [{modle.layers: 1}]",
                 {"g.yaml:3:12: exclude: 'modle.layers' is not an axis and an unknown key of a run; did you "
                  "mean 'model.layers'?"}},
        GridCase{"skip_no_axis",
                 "limits: {skip_dominated: [seed]}",
                 {"g.yaml:3:26: limits.skip_dominated: 'seed' is not an axis of this grid"}},
        GridCase{"later_engine",
                 "engine: {kind: slrm}",
                 {"g.yaml:3:16: engine.kind: expected local, slurm or manifest, found 'slrm'"}},
        GridCase{"timeout",
                 "limits: {timeout: soon}",
                 {"g.yaml:3:19: limits.timeout: expected a time such as 90s, 10m or 2h, found 'soon'"}},
        GridCase{"limit",
                 "limits: {timeot: 3}",
                 {"g.yaml:3:18: limits.timeot: unknown key of a grid; did you mean 'limits.timeout'?"}},
        GridCase{"name",
                 "name: ../up",
                 {"g.yaml:3:7: name: expected a name of letters, digits, '.', '_' and '-', found '../up'"}},
        GridCase{"no_file", "base: nothing.yaml", {"g.yaml:3:1: base: written twice"}},
        GridCase{"of_one_cell",
                 "axes: {model.layers: [1, -1], accumulation: [1, 2]}",
                 {"g.yaml:3:26: model.layers: expected an integer from 1 to 10000, found '-1' (in 2 cells, "
                  "such as model.layers=-1 accumulation=1)"}},
        GridCase{"several_at_once",
                 "axes: {model.layers: [1, -1]}\nset: {accumulation: 0, optimizer.lr: fast}",
                 {"g.yaml:4:21: accumulation: expected an integer from 1 to 1000000, found '0'",
                  "g.yaml:4:38: optimizer.lr: expected a number from 0, found 'fast'",
                  "g.yaml:3:26: model.layers: expected an integer from 1 to 10000, found '-1' (in the cell "
                  "model.layers=-1)"}},
        GridCase{"all_excluded",
                 "axes: {seed: [1]}\nexclude: [{seed: 1}]",
                 {"g.yaml: axes: no cell is left, because all are excluded"}}),
    [](const auto& info) { return info.param.name; });

TEST(GridProblems, NeedTheKeyThatSaysWhatItIs) {
  EXPECT_EQ(grid_problems("base: {model: {size: small}}"),
            (Texts{"g.yaml: grid: is required: `grid: 1` says that this file is a grid, not a run"}));
}

TEST(GridProblems, SayOnceThatTheFileIsOfARun) {
  EXPECT_EQ(grid_problems("model: {size: small}\ndata: {batch_size: 2}\nname: a"),
            (Texts{"g.yaml: grid: is required; without it this file describes a run: strata run g.yaml; a "
                   "grid over this run contains `grid: 1` and `base: g.yaml`"}));
}

TEST(GridProblems, NameTheBaseThatIsNotThere) {
  EXPECT_EQ(grid_problems("grid: 1\nbase: /nowhere/x.yaml"),
            (Texts{"g.yaml:2:7: base: /nowhere/x.yaml: no such file"}));
}

TEST(GridProblems, StandInTheFileThatHasThem) {
  const TemporaryFolder folder;
  const auto base = folder.write("base.yaml", "model: {size: small}\naccumulation: -3\n");
  const auto file = folder.write("g.yaml", "grid: 1\nbase: base.yaml\naxes: {seed: [1, 2]}\n");
  try {
    grid::plan_grid(grid::load_grid(file));
    FAIL() << "nothing was said";
  } catch (const config::ConfigError& error) {
    ASSERT_EQ(error.problems().size(), 1U);
    EXPECT_TRUE(error.problems()[0].text().starts_with(base.string() + ":2:15: accumulation: expected"))
        << error.what();
  }
}

TEST(GridProblems, OfTheCommandLineNameIt) {
  EXPECT_EQ(
      grid_problems(kTinyBase, {"optimizer.lrr=1", "engine.slots=0"}),
      (Texts{"command line: engine.slots=0: engine.slots: expected an integer from 1 to 4096, found '0'",
             "command line: optimizer.lrr=1: optimizer.lrr: unknown key; did you mean 'lr'?"}));
  EXPECT_EQ(grid_problems(kTinyBase, {"optimizer.lrr=1"}),
            (Texts{"command line: optimizer.lrr=1: optimizer.lrr: unknown key; did you mean 'lr'?"}));
}

// Any value is rejected with a message.
TEST(GridProblems, SurviveHostileFiles) {
  for (const std::string text : {"",
                                 "grid",
                                 "[1, 2]",
                                 "grid: 1\naxes: 3",
                                 "grid: 1\naxes: {a: {b: c}}",
                                 "grid: 1\naxes: {[1]: [2]}",
                                 "grid: 1\nexclude: {a: 1}",
                                 "grid: 1\ninclude: [3]",
                                 "grid: 1\nset: [1]",
                                 "grid: [1]\nlimits: 4",
                                 "grid: 1\nbase: [[1]]",
                                 "grid: 1\nseeds: []",
                                 "grid: 1\nseeds: [x]",
                                 "grid: 1\nengine: [local]",
                                 "grid: 1\naxes: {seed: {from: x, to: 1, step: 1}}",
                                 "grid: 1\naxes: {optimizer: {a: 1}}",
                                 "grid: 1\naxes: {model: [1, 2]}",
                                 "grid: 1\nplugins: {a: b}",
                                 "grid: 1\nname: [x]",
                                 "grid: 1\naxes: {a: [{b: {c: 1}}]}"})
    EXPECT_FALSE(grid_problems(text).empty()) << text;
}

}  // namespace
}  // namespace strata::test
