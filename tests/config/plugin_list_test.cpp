// SPDX-License-Identifier: Apache-2.0
#include "host/config/loading/plugin_list.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tests/config/problems_of.hpp"

namespace strata::test {
namespace {

using Overrides = std::vector<std::string>;

// "name{key=text@place,...}@place" for each plugin.
std::string plugins_of(const std::string& line, const Overrides& overrides = {}) {
  std::string text;
  const auto config = config::parse_config("model: {size: small}\n" + line + "\n", "/runs/t.yaml", overrides);
  for (const PluginRequest& plugin : config.plugins) {
    text += (text.empty() ? "" : " ") + plugin.name;
    for (const PluginOption& option : plugin.options) text += "{" + option.key + "=" + option.text + "}";
  }
  return text;
}

TEST(PluginList, NamesAndOptions) {
  EXPECT_EQ(plugins_of("plugins: [a, b: {x: 1e-3, y: no}, {c: {}}, {d: }]"), "a b{x=1e-3}{y=no} c d");
}

TEST(PluginList, PlacesAreKept) {
  const auto config = config::parse_config("model: {size: small}\nplugins:\n  - a: {x: 1}\n", "t.yaml");
  EXPECT_EQ(config.plugins.front().place, "t.yaml:3:5");
  EXPECT_EQ(config.plugins.front().options.front().place, "t.yaml:3:12");
}

TEST(PluginList, AFileIsRelativeToTheFileThatNamesIt) {
  EXPECT_EQ(plugins_of("plugins: [./mine.so, ../b/c.so, /d.so]"), "/runs/mine.so /b/c.so /d.so");
  const auto here = std::filesystem::current_path();
  EXPECT_EQ(plugins_of("seed: 1", {"plugins=[./mine.so]"}), (here / "mine.so").string());
}

TEST(PluginList, TheCommandLineReplacesAddsAndSetsOptions) {
  const std::string line = "plugins: [a, b: {x: 1, y: 2}]";
  EXPECT_EQ(plugins_of(line, {"plugins=[c]"}), "c");
  EXPECT_EQ(plugins_of(line, {"plugins=[]"}), "");
  EXPECT_EQ(plugins_of(line, {"plugins.b.x=3"}), "a b{y=2}{x=3}");
  EXPECT_EQ(plugins_of(line, {"plugins.b={z: 4}"}), "a b{z=4}");
  EXPECT_EQ(plugins_of(line, {"plugins.c="}), "a b{x=1}{y=2} c");
  EXPECT_EQ(plugins_of(line, {"plugins.c.x=1", "plugins=[d]"}), "d");
}

TEST(PluginList, WhatIsWrong) {
  using Lines = std::vector<std::string>;
  const auto problems = [](const std::string& list) {
    return problems_of("model: {size: small}\nplugins: " + list + "\n");
  };
  EXPECT_EQ(problems("[a, a]"), Lines{"t.yaml:2:14: plugins: 'a' is listed twice"});
  EXPECT_EQ(problems("[[a]]"),
            Lines{"t.yaml:2:11: plugins: expected a plugin's name or {name: {option: value}}, found a list"});
  EXPECT_EQ(problems("[{a: 1, b: 2}]"),
            Lines{"t.yaml:2:11: plugins: expected a plugin's name or {name: {option: value}}, found a "
                  "mapping with more or fewer than one name"});
  EXPECT_EQ(problems("[a: 1]"), Lines{"t.yaml:2:14: plugins.a: expected a mapping of options, found '1'"});
  EXPECT_EQ(problems("[a: {x: [1]}]"),
            Lines{"t.yaml:2:15: plugins.a.x: expected a single value, found a list"});
  EXPECT_EQ(problems("[a: {x: 1, x: 2}]"),
            Lines{"t.yaml:2:21: plugins.a.x: written twice; the first is at t.yaml:2:15"});
  EXPECT_EQ(problems("{a: 1}"),
            Lines{"t.yaml:2:10: plugins: expected a list of plugins, each a name or {name: {option: "
                  "value}}, found a mapping"});
}

}  // namespace
}  // namespace strata::test
