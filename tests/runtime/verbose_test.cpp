// STRATA_VERBOSE=1: one block that says what was tried, found and compared.
#include <cstdio>
#include <cstdlib>

#include "tests/runtime/session_fixture.hpp"

namespace strata {
namespace {

class Verbose : public SessionTest {
 protected:
  std::string log_of_opening() {
    testing::internal::CaptureStderr();
    try {
      open();
    } catch (const SessionError&) {
      refused_ = true;
    }
    return testing::internal::GetCapturedStderr();
  }

  bool refused_ = false;
};

TEST_F(Verbose, WithoutItNothingIsShown) {
  listen("recording_a");
  EXPECT_EQ(log_of_opening(), "");
}

// The log reads the variable once, when it is first used: a process of its own for each value.
TEST_F(Verbose, ShowsPathsVersionsAndOptions) {
  const auto show = [this] {
    setenv("STRATA_VERBOSE", "1", 1);
    options_.plugins.push_back({"optioned", {{"depth", "9", "run.yaml:4"}}, "run.yaml:3"});
    std::fputs(log_of_opening().c_str(), stderr);
    std::_Exit(refused_ ? 1 : 0);
  };
  EXPECT_EXIT(
      show(), testing::ExitedWithCode(0),
      "loading sources and plugins\n  plugin optioned \\(run.yaml:3\\)\n"
      "    tried .*/liboptioned.so: no such file\n"
      "    opened .*/optioned.so: strata_plugin_entry found, ABI 1.0 \\(this host: 1.0\\), struct_size 48\n"
      "    optioned 2.1; options: enabled=true, depth=9, ratio=0.5, mode=fast, buffer=1048576\n"
      "  optioned: started");
}

TEST_F(Verbose, ShowsTheBlockAlsoWhenLoadingFails) {
  const auto show = [this] {
    setenv("STRATA_VERBOSE", "1", 1);
    options_.plugins.push_back({"no_entry", {}, ""});
    std::fputs(log_of_opening().c_str(), stderr);
    std::_Exit(refused_ ? 1 : 0);
  };
  EXPECT_EXIT(show(), testing::ExitedWithCode(1),
              "refused .*/no_entry.so: .* exports no strata_plugin_entry");
}

}  // namespace
}  // namespace strata
