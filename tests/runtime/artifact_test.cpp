// SPDX-License-Identifier: Apache-2.0
#include "host/runtime/recording/artifact.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <span>
#include <stdexcept>
#include <string>
#include <system_error>

#include "tests/runtime/run_folder.hpp"

namespace strata {
namespace {

class ArtifactTest : public testing::Test {
 protected:
  static std::span<const std::byte> bytes(std::string_view text) { return std::as_bytes(std::span(text)); }
  std::string read(const std::filesystem::path& file) const {
    std::ifstream stream(folder_.path() / file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  std::ptrdiff_t files() const {
    const std::filesystem::directory_iterator all(folder_.path() / "rank3/plugin");
    return std::distance(begin(all), end(all));
  }
  RunFolder folder_;
  Artifacts artifacts_{folder_.path(), 3};
};

TEST_F(ArtifactTest, HasItsNameOnlyOnceCommitted) {
  auto artifact = artifacts_.open("plugin", "stacks.txt", "text/plain");
  artifact->write(bytes("one "));
  artifact->write(bytes("two"));
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "rank3/plugin/stacks.txt"));
  EXPECT_TRUE(artifacts_.committed().empty());
  artifacts_.commit(std::move(artifact));
  EXPECT_EQ(read("rank3/plugin/stacks.txt"), "one two");
  ASSERT_EQ(artifacts_.committed().size(), 1U);
  const ArtifactEntry entry = artifacts_.committed()[0];
  EXPECT_EQ(entry.plugin, "plugin");
  EXPECT_EQ(entry.file, "rank3/plugin/stacks.txt");
  EXPECT_EQ(entry.media_type, "text/plain");
  EXPECT_EQ(entry.bytes, 7U);
  EXPECT_EQ(files(), 1);
}

TEST_F(ArtifactTest, LeavesNothingWhenDiscarded) {
  artifacts_.open("plugin", "stacks.txt", "text/plain")->write(bytes("one"));
  EXPECT_EQ(files(), 0);
  EXPECT_TRUE(artifacts_.committed().empty());
}

TEST_F(ArtifactTest, TheLastCommitOfANameWins) {
  auto first = artifacts_.open("plugin", "name", "text/plain");
  auto second = artifacts_.open("plugin", "name", "text/plain");
  first->write(bytes("first"));
  second->write(bytes("second"));
  artifacts_.commit(std::move(second));
  artifacts_.commit(std::move(first));
  EXPECT_EQ(read("rank3/plugin/name"), "first");
  EXPECT_EQ(artifacts_.committed().size(), 1U);
  EXPECT_EQ(files(), 1);
}

TEST_F(ArtifactTest, RefusesNamesThatLeaveTheFolder) {
  for (const char* name : {"", "..", "../other", "a/b", ".hidden"}) {
    EXPECT_THROW(artifacts_.open("plugin", name, "text/plain"), std::invalid_argument) << name;
  }
}

TEST_F(ArtifactTest, AForkedChildsExitWritesNothingIntoIt) {
  auto artifact = artifacts_.open("plugin", "stacks.txt", "text/plain");
  artifact->write(bytes("one "));
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) std::exit(0);
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  artifact->write(bytes("two"));
  artifacts_.commit(std::move(artifact));
  EXPECT_EQ(read("rank3/plugin/stacks.txt"), "one two");
}

TEST_F(ArtifactTest, AFileThatFailedOnceCannotBeCommitted) {
  auto artifact = artifacts_.open("plugin", "stacks.txt", "text/plain");
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const rlimit tight{4, before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &tight);
  EXPECT_THROW(artifact->write(bytes("too long")), std::system_error);
  setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_THROW(artifact->write(bytes("more")), std::system_error);
  EXPECT_THROW(artifacts_.commit(std::move(artifact)), std::system_error);
  EXPECT_EQ(files(), 0);
}

}  // namespace
}  // namespace strata
