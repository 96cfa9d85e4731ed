// SPDX-License-Identifier: Apache-2.0
// Grids over a user's own program.
#include <gtest/gtest.h>
#include <yaml-cpp/yaml.h>

#include <string>
#include <vector>

#include "host/grid/file/grid_file.hpp"
#include "host/grid/plan/plan.hpp"
#include "tests/grid/grid_text.hpp"

namespace strata::grid {
namespace {

using test::grid_problems;

Plan plan_of(const std::string& text, const std::vector<std::string>& overrides = {}) {
  return plan_grid(read_grid("grid: 1\n" + text, "g.yaml", overrides)).plan;
}

std::vector<std::string> words_of(const Cell& cell) {
  return YAML::Load(cell.config_yaml)["program"].as<std::vector<std::string>>();
}

TEST(ProgramGrid, HasAValueForEachNameInBraces) {
  const Plan plan = plan_of(
      "program: torchrun train.py --tp {tp} --batch={batch} --json {} {\"a\":1}\n"
      "set: {batch: 4}\n"
      "axes: {tp: [1, 2]}\n");
  ASSERT_EQ(plan.cells.size(), 2U);
  EXPECT_EQ(words_of(plan.cells[1]), (std::vector<std::string>{"torchrun", "train.py", "--tp", "2",
                                                               "--batch=4", "--json", "{}", "{\"a\":1}"}));
  EXPECT_EQ(plan.cells[1].text(), "tp=2");
  EXPECT_EQ(plan.cells[0].device, "this machine's");
  EXPECT_EQ(plan.cells[0].needs.cores, 0);
}

TEST(ProgramGrid, WordsMayBeAList) {
  const Plan plan =
      plan_of("program: [python, -c, \"print('a b', {x})\"]\naxes: {x: {from: 1, to: 4, times: 2}}\n");
  ASSERT_EQ(plan.cells.size(), 3U);
  EXPECT_EQ(words_of(plan.cells[2])[2], "print('a b', 4)");
}

TEST(ProgramGrid, LayoutsAreAnAxisOfSeveralNames) {
  const Plan plan = plan_of(
      "program: train --tp {tp} --pp {pp}\n"
      "device: {dry: h100-80gb, clock: modelled}\n"
      "world: 64\n"
      "ranks: representative\n"
      "axes:\n"
      "  layout: {wide: {tp: 8, pp: 1}, deep: {tp: 1, pp: 8, world: 128}}\n"
      "  tp: [2, 4]\n"
      "exclude: [{layout: deep, tp: 4}]\n");
  ASSERT_EQ(plan.cells.size(), 3U);
  const YAML::Node deep = YAML::Load(plan.cells[2].config_yaml);
  EXPECT_EQ(plan.cells[2].text(), "layout=deep tp=2");
  EXPECT_EQ(deep["world"].as<std::string>(), "128");
  EXPECT_EQ(deep["ranks"].as<std::string>(), "representative");
  EXPECT_EQ(deep["device"]["dry"].as<std::string>(), "h100-80gb");
  EXPECT_EQ(plan.cells[2].needs.cores, 1);
}

TEST(ProgramGrid, TheCommandLineOverrides) {
  const std::string text = "program: train {a} {b}\nset: {a: 1}\naxes: {b: [1, 2, 3]}\n";
  EXPECT_EQ(words_of(plan_of(text, {"a=7"}).cells[0])[1], "7");
  EXPECT_EQ(plan_of(text, {"b=5"}).cells.size(), 1U);
  EXPECT_EQ(plan_of(text, {"a=[1, 2]"}).cells.size(), 6U);
}

TEST(ProgramGrid, CellsAreTheSameByTheirWords) {
  const auto id = [](const std::string& text) { return plan_of(text).cells.at(0).id; };
  EXPECT_EQ(id("program: train {a}\nset: {a: 1}\n"), id("program: [train, \"1\"]\n"));
  EXPECT_NE(id("program: train 1\n"), id("program: train 1\ndevice: {dry: t4}\n"));
}

TEST(ProgramGrid, Problems) {
  const auto only = [](const std::string& text, const std::vector<std::string>& overrides = {}) {
    const std::vector<std::string> lines = grid_problems("grid: 1\n" + text, overrides);
    return lines.size() == 1 ? lines.front() : "problems: " + std::to_string(lines.size());
  };
  EXPECT_EQ(only("program: train {tp}\n"),
            "g.yaml:2:10: program: has {tp}, which has no value; add `tp` to `axes` or `set`");
  EXPECT_EQ(only("program: train {tp}\naxes: {tq: [1]}\nset: {tp: 1}\n"),
            "g.yaml:3:13: tq: is not a name of the program, so each of its values must be a mapping of keys, "
            "found '1'; did you mean 'tp'?");
  EXPECT_EQ(
      only("program: train {tp}\nset: {tp: 1, tq: 1}\n"),
      "g.yaml:3:14: tq: unknown name; did you mean 'tp'?; a word of `program` must contain {tq}, or it is "
      "one of world, ranks, device, plugins");
  EXPECT_EQ(
      only("program: {a: 1}\n"),
      "g.yaml:2:10: program: expected a command, such as `torchrun train.py --batch {batch}` or a list of "
      "words, found a mapping");
  EXPECT_EQ(only("program: train\nbase: {seed: 1}\n").find("g.yaml:3:7: base: has keys of a run"), 0U);
  EXPECT_EQ(only("program: train\nworld: 8\n"),
            "g.yaml:3:8: world: runs ranks of a job on dry cards; add `device: {dry: h100-80gb}`");
  EXPECT_EQ(only("program: train\nworld: 0\ndevice: {dry: t4}\n"),
            "g.yaml:3:8: world: expected the job's number of ranks, found '0'");
  EXPECT_EQ(only("program: train\nranks: 3\ndevice: {dry: t4}\n"),
            "g.yaml:3:8: ranks: chooses ranks of a job; add `world`, its number of ranks");
  EXPECT_EQ(only("program: train\ndevice: cuda\n").find("g.yaml:3:9: device: a program chooses among"), 0U);
  EXPECT_EQ(only("world: 8\nbase: {model: {size: small}}\n"),
            "g.yaml:2:8: world: is for a grid over a `program`; a run has world_size");
  EXPECT_NE(only("program: train {a}\nset: {a: 1}\n", {"c=1"}).find("command line: c=1"), std::string::npos);
}

}  // namespace
}  // namespace strata::grid
