// SPDX-License-Identifier: Apache-2.0
#include "host/cli/run_directory.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

#include "host/cli/usage_error.hpp"
#include "tests/temporary_folder.hpp"

namespace strata::test {
namespace {

namespace fs = std::filesystem;

using cli::RunDirectory;
using cli::UsageError;

constexpr std::chrono::sys_seconds kNow{std::chrono::seconds{1'795'264'500}};

class RunDirectoryTest : public testing::Test {
 protected:
  RunDirectoryTest() : before_(fs::current_path()) { fs::current_path(folder_.path()); }
  ~RunDirectoryTest() override { fs::current_path(before_); }

  std::string text_of(const fs::path& file) const {
    std::stringstream text;
    text << std::ifstream(file).rdbuf();
    return text.str();
  }

  TemporaryFolder folder_;
  fs::path before_;
};

TEST_F(RunDirectoryTest, TheDefaultIsNamedByRunAndTime) {
  RunDirectory run = RunDirectory::create_default("quickstart", kNow);
  run.keep();
  EXPECT_EQ(run.path(), folder_.path() / "runs/quickstart/20261121T123500Z");
  EXPECT_TRUE(fs::is_directory(run.path()));
}

TEST_F(RunDirectoryTest, RunsOfTheSameSecondDoNotMeet) {
  RunDirectory first = RunDirectory::create_default("a", kNow);
  RunDirectory second = RunDirectory::create_default("a", kNow);
  EXPECT_EQ(second.path().filename(), first.path().filename().string() + "-2");
}

TEST_F(RunDirectoryTest, WhatIsNotKeptLeavesNothing) {
  {
    const RunDirectory run = RunDirectory::create_default("a", kNow);
    run.write_file("config.yaml", "x");
  }
  {
    const RunDirectory run = RunDirectory::create("one/two/three/");
    run.write_file("config.yaml", "x");
  }
  EXPECT_TRUE(fs::is_empty(folder_.path()));
}

TEST_F(RunDirectoryTest, WhatWasThereBeforeStays) {
  fs::create_directories("runs/a/other");
  fs::create_directory("mine");
  {
    const RunDirectory run = RunDirectory::create_default("a", kNow);
    const RunDirectory given = RunDirectory::create("mine");
    given.write_file("config.yaml", "x");
  }
  EXPECT_TRUE(fs::is_directory("runs/a/other"));
  EXPECT_TRUE(fs::is_empty("mine"));
  EXPECT_TRUE(fs::is_empty("runs/a/other"));
}

TEST_F(RunDirectoryTest, WhatIsKeptStays) {
  {
    RunDirectory run = RunDirectory::create("out");
    run.write_file("config.yaml", "seed: 1\n");
    run.keep();
  }
  EXPECT_EQ(text_of("out/config.yaml"), "seed: 1\n");
}

TEST_F(RunDirectoryTest, RefusesWhatCannotHoldANewRun) {
  folder_.write("full/file", "x");
  folder_.write("file", "x");
  EXPECT_THROW(RunDirectory::require_free("full"), UsageError);
  EXPECT_THROW(RunDirectory::require_free("file"), UsageError);
  EXPECT_THROW(RunDirectory::create("file/below"), UsageError);
  EXPECT_NO_THROW(RunDirectory::require_free("not/there/yet"));
}

TEST_F(RunDirectoryTest, AFileIsReplacedWhole) {
  folder_.write("summary.json", "old");
  cli::write_whole_file("summary.json", "new");
  EXPECT_EQ(text_of("summary.json"), "new");
  EXPECT_THROW(cli::write_whole_file("no/such/folder/summary.json", "x"), std::runtime_error);
  EXPECT_FALSE(fs::exists("summary.json.part"));
}

}  // namespace
}  // namespace strata::test
