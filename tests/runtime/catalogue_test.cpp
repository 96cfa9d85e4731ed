// SPDX-License-Identifier: Apache-2.0
// The information that `strata plugins` gets without running a plugin.
#include "strata/runtime/catalogue.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace strata {
namespace {

PluginDescription find(const std::vector<PluginDescription>& all, const std::string& id) {
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const PluginDescription& one) { return one.id == id; });
  return found == all.end() ? PluginDescription{} : *found;
}

TEST(Catalogue, DescribesPluginsAndTheirOptions) {
  const PluginDescription optioned = find(available_plugins({STRATA_TEST_PLUGINS}), "optioned");
  EXPECT_EQ(optioned.version, "2.1");
  EXPECT_EQ(optioned.summary, "Has options");
  EXPECT_EQ(optioned.refused, "");
  EXPECT_FALSE(optioned.whole_run);
  ASSERT_EQ(optioned.options.size(), 5u);
  EXPECT_EQ(optioned.options[1].key, "depth");
  EXPECT_EQ(optioned.options[1].type, "integer");
  EXPECT_EQ(optioned.options[1].default_text, "4");
  EXPECT_EQ(optioned.options[1].expectation, "a whole number from 1 to 64");
  EXPECT_EQ(optioned.options[3].expectation, "one of fast, exact");
}

TEST(Catalogue, SaysWhyAFileIsNoPlugin) {
  const auto plugins = available_plugins({STRATA_TEST_PLUGINS});
  EXPECT_NE(find(plugins, "no_entry").refused.find("does not export strata_plugin_entry"), std::string::npos);
  EXPECT_NE(find(plugins, "wrong_major").refused.find("plugin ABI 2.0"), std::string::npos);
}

TEST(Catalogue, KeepsSourcesAndPluginsApart) {
  EXPECT_EQ(find(available_plugins({STRATA_TEST_PLUGINS}), "recording_source").id, "");
  const PluginDescription source = find(available_sources({STRATA_TEST_PLUGINS}), "recording_source");
  EXPECT_TRUE(source.source);
  EXPECT_EQ(find(available_sources({STRATA_TEST_PLUGINS}), "recording_a").id, "");
}

TEST(Catalogue, AFolderThatDoesNotExistHoldsNothing) {
  EXPECT_EQ(find(available_plugins({"/nonexistent"}), "recording_a").id, "");
}

}  // namespace
}  // namespace strata
