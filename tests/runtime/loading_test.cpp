// SPDX-License-Identifier: Apache-2.0
// The session's messages about plugins that are missing, do not fit, or cannot start.
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "tests/runtime/run_folder.hpp"
#include "tests/runtime/session_fixture.hpp"

namespace strata {
namespace {

class Loading : public SessionTest {
 protected:
  // The problems thrown when the session opens; none if it opens.
  std::vector<std::string> problems() {
    try {
      open();
    } catch (const SessionError& error) {
      return error.problems();
    }
    return {};
  }

  void ask_for(const std::string& name, const std::string& place = "run.yaml:7") {
    options_.plugins.push_back({name, {}, place});
  }
};

testing::AssertionResult contains(const std::string& text, const std::string& part) {
  if (text.find(part) != std::string::npos) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "'" << part << "' is not in: " << text;
}

TEST_F(Loading, AMissingPluginIsNamedWithItsPlaceWhatWasSearchedAndTheNearest) {
  ask_for("recordin_a");
  const auto found = problems();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_TRUE(contains(found[0], "run.yaml:7: no plugin 'recordin_a'."));
  EXPECT_TRUE(contains(found[0], "Did you mean 'recording_a'?"));
  EXPECT_TRUE(contains(found[0], STRATA_TEST_PLUGINS));
}

TEST_F(Loading, AMissingFileIsNamed) {
  ask_for("./nowhere/plugin.so");
  const auto found = problems();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_TRUE(contains(found[0], "the file './nowhere/plugin.so' does not exist"));
}

TEST_F(Loading, AFileWithoutTheEntryIsRefused) {
  ask_for("no_entry");
  const auto found = problems();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_TRUE(contains(found[0], "does not export strata_plugin_entry"));
}

TEST_F(Loading, AFileThatIsNoLibraryIsRefused) {
  const RunFolder folder;
  std::ofstream(folder.path() / "text.so") << "not an ELF file\n";
  options_.plugin_path = {folder.path()};
  ask_for("text");
  const auto found = problems();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_TRUE(contains(found[0], "text.so"));
  EXPECT_TRUE(contains(found[0], "cannot be opened"));
}

TEST_F(Loading, AnotherMajorIsRefusedWithBothNumbers) {
  ask_for("wrong_major");
  const auto found = problems();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_TRUE(contains(found[0], "was built for plugin ABI 2.0, but this host has 1.0"));
}

TEST_F(Loading, AShortEntryIsRefused) {
  ask_for("short_entry");
  const auto found = problems();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_TRUE(contains(found[0], "struct_size is 16"));
}

TEST_F(Loading, ANewerMinorIsTaken) {
  ask_for("newer_minor");
  EXPECT_EQ(problems(), std::vector<std::string>{});
  // Its `create` makes a plugin without `destroy`.
  EXPECT_EQ(session_->plugins().at(0).status, "disabled");
}

TEST_F(Loading, EverythingThatIsWrongIsToldAtOnce) {
  ask_for("nothing_like_it", "run.yaml:3");
  ask_for("wrong_major", "run.yaml:4");
  options_.plugins.push_back(
      {"optioned", {{"dept", "4", "run.yaml:6"}, {"ratio", "2", "run.yaml:7"}}, "run.yaml:5"});
  ask_for("recording_source", "run.yaml:8");
  const auto found = problems();
  ASSERT_EQ(found.size(), 5u);
  EXPECT_TRUE(contains(found[0], "run.yaml:3: "));
  EXPECT_TRUE(contains(found[1], "run.yaml:4: "));
  EXPECT_TRUE(
      contains(found[2], "run.yaml:6: plugin 'optioned' has no option 'dept'. Did you mean 'depth'?"));
  EXPECT_TRUE(
      contains(found[3], "run.yaml:7: option 'ratio' of plugin 'optioned': expected a number from 0 to 1"));
  EXPECT_TRUE(
      contains(found[4], "run.yaml:8: 'recording_source' is a source, but was requested as a plugin"));
}

TEST_F(Loading, ThePluginThatIsNamedTwiceIsAProblem) {
  ask_for("recording_a", "run.yaml:3");
  ask_for("recording_a", "run.yaml:9");
  const auto found = problems();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_TRUE(contains(found[0], "run.yaml:9: plugin 'recording_a' is named twice (first at run.yaml:3)"));
}

// A path and a link to it are the same file, which is opened once.
TEST_F(Loading, OneFileByTwoPathsIsOnePluginThatIsNamedTwice) {
  const RunFolder folder;
  const std::filesystem::path link = folder.path() / "another_name.so";
  std::filesystem::create_symlink(std::filesystem::absolute(STRATA_TEST_PLUGINS "/recording_a.so"), link);
  ask_for(STRATA_TEST_PLUGINS "/recording_a.so", "run.yaml:3");
  ask_for(link.string(), "run.yaml:9");
  const auto found = problems();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_TRUE(contains(found[0], "run.yaml:9: plugin 'recording_a' is named twice (first at run.yaml:3)"));
}

TEST_F(Loading, TwoCopiesOfAFileAreOnePluginThatIsNamedTwice) {
  const RunFolder folder;
  const std::filesystem::path copy = folder.path() / "recording_a.so";
  std::filesystem::copy_file(STRATA_TEST_PLUGINS "/recording_a.so", copy);
  ask_for("recording_a", "run.yaml:3");
  ask_for(copy.string(), "run.yaml:9");
  const auto found = problems();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_TRUE(contains(found[0], "run.yaml:9: plugin 'recording_a' is named twice (first at run.yaml:3)"));
}

TEST_F(Loading, APathLoadsThatFile) {
  options_.plugin_path.clear();
  ask_for(STRATA_TEST_PLUGINS "/recording_a.so");
  EXPECT_EQ(problems(), std::vector<std::string>{});
  EXPECT_EQ(session_->plugins().at(0).id, "recording_a");
}

TEST_F(Loading, TheEnvironmentIsSearchedAfterTheSessionsPath) {
  const RunFolder folder;
  std::filesystem::copy_file(STRATA_TEST_PLUGINS "/recording_b.so", folder.path() / "librecording_b.so");
  setenv("STRATA_PLUGIN_PATH", folder.path().c_str(), 1);
  options_.plugin_path.clear();
  ask_for("recording_b");
  EXPECT_EQ(problems(), std::vector<std::string>{});
  unsetenv("STRATA_PLUGIN_PATH");
  EXPECT_EQ(session_->plugins().at(0).path, std::filesystem::canonical(folder.path()) / "librecording_b.so");
}

class CannotStart : public Loading,
                    public testing::WithParamInterface<std::pair<const char*, const char*>> {};

TEST_P(CannotStart, IsDisabledWithItsReasonAndTheOthersGoOn) {
  ask_for(GetParam().first);
  listen("recording_whole");
  Session& session = open();
  session.begin_run();
  const std::vector<PluginStatus> statuses = session.plugins();
  ASSERT_EQ(statuses.size(), 2u);
  EXPECT_EQ(statuses[0].status, "disabled");
  EXPECT_TRUE(contains(statuses[0].reason, GetParam().second));
  EXPECT_EQ(statuses[1].status, "ok");
  EXPECT_EQ(sink_.texts("recording_whole"), Texts{"begin_run run"});
}

TEST_P(CannotStart, IsFatalWhenStrict) {
  ask_for(GetParam().first);
  listen("recording_whole");
  options_.strict = true;
  const auto found = problems();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_TRUE(contains(found[0], GetParam().second));
  EXPECT_EQ(sink_.texts("recording_whole"), Texts{"destroy"});
}

INSTANTIATE_TEST_SUITE_P(
    EachWay, CannotStart,
    testing::Values(std::pair{"init_fails", "the device library is too old"},
                    std::pair{"create_fails", "no counter is free"},
                    std::pair{"incomplete_plugin", "incomplete plugin"},
                    std::pair{"throws_in_init", "exception across the ABI: on purpose"},
                    std::pair{"throws_in_create", "exception across the ABI: on purpose"},
                    std::pair{"throws_in_listener", "exception across the ABI: on purpose"}),
    [](const auto& each) { return std::string(each.param.first); });

}  // namespace
}  // namespace strata
