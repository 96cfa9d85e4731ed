// SPDX-License-Identifier: Apache-2.0
// Texts of a configuration, checked against a descriptor's declarations.
#include "host/runtime/plugins/option_values.hpp"

#include <gtest/gtest.h>

#include <array>
#include <limits>

namespace strata {
namespace {

constexpr std::array kOptions = {strata_option{"flag", STRATA_OPTION_FLAG, 0, "true", "", nullptr, 0, 0},
                                 strata_option{"count", STRATA_OPTION_INTEGER, 0, "4", "", nullptr, 1, 64},
                                 strata_option{"ratio", STRATA_OPTION_REAL, 0, "0.5", "", nullptr, 0, 0},
                                 strata_option{"mode", STRATA_OPTION_TEXT, 0, "fast", "", "fast|exact", 0, 0},
                                 strata_option{"bytes", STRATA_OPTION_BYTES, 0, "1MiB", "", nullptr, 0,
                                               std::numeric_limits<double>::infinity()}};

constexpr strata_descriptor kDescriptor = {sizeof(strata_descriptor), 0, "sample", "1.0", "", kOptions.data(),
                                           kOptions.size(),           0};

std::vector<std::string> problems_of(const std::vector<PluginOption>& configured) {
  std::vector<std::string> problems;
  OptionValues::resolve(kDescriptor, configured, problems);
  return problems;
}

TEST(OptionValues, DefaultsStandWhereNothingIsConfigured) {
  std::vector<std::string> problems;
  const OptionValues values = OptionValues::resolve(kDescriptor, {{"count", "7", ""}}, problems);
  EXPECT_EQ(problems, std::vector<std::string>{});
  EXPECT_EQ(*values.flag("flag"), true);
  EXPECT_EQ(*values.integer("count"), 7);
  EXPECT_EQ(*values.real("ratio"), 0.5);
  EXPECT_EQ(*values.text("mode"), "fast");
  EXPECT_EQ(*values.integer("bytes"), 1048576);
  EXPECT_EQ(values.summary(), "flag=true, count=7, ratio=0.5, mode=fast, bytes=1048576");
}

TEST(OptionValues, AnUndeclaredKeyOrAnotherTypeHasNoValue) {
  std::vector<std::string> problems;
  const OptionValues values = OptionValues::resolve(kDescriptor, {}, problems);
  EXPECT_EQ(values.integer("nothing"), nullptr);
  EXPECT_EQ(values.text("count"), nullptr);
}

struct Size {
  const char* text;
  std::int64_t bytes;
};

TEST(OptionValues, SizesHaveBinaryUnits) {
  for (const Size& size :
       {Size{"512", 512}, Size{"512B", 512}, Size{"64KiB", 65536}, Size{"1.5 GiB", 1610612736}}) {
    std::vector<std::string> problems;
    const OptionValues values = OptionValues::resolve(kDescriptor, {{"bytes", size.text, ""}}, problems);
    EXPECT_EQ(problems, std::vector<std::string>{}) << size.text;
    EXPECT_EQ(*values.integer("bytes"), size.bytes) << size.text;
  }
}

}  // namespace

// Used in a parameterized test's name. Without it GoogleTest prints a parameter's bytes, including
// uninitialised padding.
void PrintTo(const PluginOption& option, std::ostream* out) {
  *out << option.place << ": " << option.key << '=' << option.text;
}

namespace {

class WrongOption : public testing::TestWithParam<std::pair<PluginOption, const char*>> {};

TEST_P(WrongOption, IsToldWithPlaceAndWhatWasExpected) {
  const auto& [option, message] = GetParam();
  EXPECT_EQ(problems_of({option}), std::vector<std::string>{message});
}

INSTANTIATE_TEST_SUITE_P(
    EachKind, WrongOption,
    testing::Values(
        std::pair{PluginOption{"flag", "yes", "f.yaml:2"},
                  "f.yaml:2: option 'flag' of plugin 'sample': expected true or false, found 'yes'."},
        std::pair{PluginOption{"count", "four", "f.yaml:2"},
                  "f.yaml:2: option 'count' of plugin 'sample': expected a whole number from 1 to 64, found "
                  "'four'."},
        std::pair{
            PluginOption{"count", "65", "f.yaml:2"},
            "f.yaml:2: option 'count' of plugin 'sample': expected a whole number from 1 to 64, found '65'."},
        std::pair{PluginOption{"ratio", "1.5x", "f.yaml:2"},
                  "f.yaml:2: option 'ratio' of plugin 'sample': expected a number, found '1.5x'."},
        std::pair{PluginOption{"mode", "slow", "f.yaml:2"},
                  "f.yaml:2: option 'mode' of plugin 'sample': expected one of fast, exact, found 'slow'."},
        std::pair{
            PluginOption{"bytes", "3MB", "f.yaml:2"},
            "f.yaml:2: option 'bytes' of plugin 'sample': expected a size of at least 0 bytes, such as 512, "
            "64KiB or 1.5GiB, found '3MB'."},
        std::pair{PluginOption{"cuont", "3", "f.yaml:2"},
                  "f.yaml:2: plugin 'sample' has no option 'cuont'. Did you mean 'count'? Its options: flag, "
                  "count, "
                  "ratio, mode, bytes."}));

TEST(OptionValues, AKeyGivenTwiceIsAProblem) {
  EXPECT_EQ(
      problems_of({{"count", "3", "f.yaml:2"}, {"count", "4", "f.yaml:3"}}),
      std::vector<std::string>{"f.yaml:3: option 'count' of plugin 'sample' is given twice; keep one."});
}

}  // namespace
}  // namespace strata
