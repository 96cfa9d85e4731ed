// SPDX-License-Identifier: Apache-2.0
// STRATA_VERBOSE=1 prints one block with everything tried, found and compared.
#include <cstdlib>

#include "tests/runtime/session_fixture.hpp"

namespace strata {
namespace {

class Verbose : public SessionTest {
 protected:
  // The log reads the variable once, when first used, so each value needs its own process.
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }

  [[noreturn]] void open_verbosely(const PluginRequest& plugin) {
    setenv("STRATA_VERBOSE", "1", 1);
    options_.plugins.push_back(plugin);
    try {
      open();
    } catch (const SessionError&) {
      std::_Exit(1);
    }
    std::_Exit(0);
  }
};

TEST_F(Verbose, WithoutItNothingIsShown) {
  listen("recording_a");
  testing::internal::CaptureStderr();
  open();
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST_F(Verbose, ShowsPathsVersionsAndOptions) {
  EXPECT_EXIT(
      open_verbosely({"optioned", {{"depth", "9", "run.yaml:4"}}, "run.yaml:3"}), testing::ExitedWithCode(0),
      "loading sources and plugins\n  plugin optioned \\(run.yaml:3\\)\n"
      "    tried .*/liboptioned.so: no such file\n"
      "    opened .*/optioned.so: strata_plugin_entry found, ABI 1.0 \\(this host: 1.0\\), struct_size 48\n"
      "    optioned 2.1; options: enabled=true, depth=9, ratio=0.5, mode=fast, buffer=1048576\n"
      "  optioned: started");
}

TEST_F(Verbose, ShowsTheBlockAlsoWhenLoadingFails) {
  EXPECT_EXIT(open_verbosely({"no_entry", {}, ""}), testing::ExitedWithCode(1),
              "refused .*/no_entry.so: .* does not export strata_plugin_entry");
}

}  // namespace
}  // namespace strata
