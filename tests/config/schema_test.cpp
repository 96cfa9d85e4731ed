// SPDX-License-Identifier: Apache-2.0
// The table itself, and its printed form.
#include "host/config/schema/schema.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "host/config/schema/help.hpp"
#include "host/config/schema/json_schema.hpp"

namespace strata::test {
namespace {

using config::Key;

TEST(Schema, EveryKeyIsThereOnceInAKnownSection) {
  std::set<std::string_view> paths;
  for (const Key& key : config::keys()) {
    EXPECT_TRUE(paths.insert(key.path).second) << key.path;
    EXPECT_TRUE(key.section().empty() || config::find_section(key.section()) != nullptr) << key.path;
    EXPECT_EQ(config::find_key(key.path), &key);
  }
}

TEST(Schema, EveryKeyIsExplainedAndHasAValueOrSaysWhereItComesFrom) {
  for (const Key& key : config::keys()) {
    EXPECT_TRUE(key.help.ends_with('.')) << key.path;
    const int sources =
        (key.default_text.empty() ? 0 : 1) + (key.default_help.empty() ? 0 : 1) + (key.required ? 1 : 0);
    EXPECT_EQ(sources, 1) << key.path;
  }
}

TEST(Schema, ConditionsNameAChoiceThatIsReadBefore) {
  for (const Key& key : config::keys()) {
    if (!key.only_when) continue;
    const Key* const other = config::find_key(key.only_when->key);
    ASSERT_NE(other, nullptr) << key.path;
    EXPECT_LT(other, &key) << key.path;
    EXPECT_TRUE(other->section() == key.section() || other->section().empty()) << key.path;
    const auto& names = std::get<config::ChoiceType>(other->type).names;
    for (const std::string_view value : key.only_when->values)
      EXPECT_NE(std::ranges::find(names, value), names.end()) << key.path;
  }
}

TEST(Schema, TheHelpNamesEveryKeyInLinesThatFit) {
  const std::string help = config::help_text();
  for (const Key& key : config::keys()) {
    EXPECT_NE(help.find("\n  " + std::string(key.path) + "\n"), std::string::npos) << key.path;
  }
  for (std::size_t at = 0; at < help.size();) {
    const std::size_t end = help.find('\n', at);
    EXPECT_LE(end - at, 112u) << help.substr(at, end - at);
    at = end + 1;
  }
}

TEST(Schema, TheJsonSchemaHoldsDefaultsOfTheKeysTypes) {
  const auto schema = nlohmann::json::parse(config::json_schema());
  EXPECT_EQ(schema.at("required"), nlohmann::json::array({"model"}));
  EXPECT_EQ(schema.at("properties").at("optimizer").at("properties").at("lr").at("default"), 1.0e-3);
  EXPECT_EQ(schema.at("properties").at("strict").at("default"), false);
  EXPECT_EQ(schema.at("properties").at("seed").at("default"), 0);
}

}  // namespace
}  // namespace strata::test
