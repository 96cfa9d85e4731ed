// SPDX-License-Identifier: Apache-2.0
#include "host/cli/output_file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <iterator>

#include "tests/temporary_folder.hpp"

namespace strata::test {
namespace {

namespace fs = std::filesystem;

using cli::OutputFile;

class OutputFileTest : public testing::Test {
 protected:
  fs::path file() const { return folder_.path() / "runs.tar.gz"; }
  std::string text() const {
    std::ifstream stream(file());
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  std::ptrdiff_t entries() const {
    return std::distance(fs::directory_iterator(folder_.path()), fs::directory_iterator{});
  }

  TemporaryFolder folder_;
};

TEST_F(OutputFileTest, IsThereWhenItIsWhole) {
  std::ofstream(file()) << "before";
  OutputFile output(file().string());
  output.write("af");
  output.write("ter");
  EXPECT_EQ(text(), "before");
  output.commit();
  EXPECT_EQ(text(), "after");
  EXPECT_EQ(entries(), 1);
}

TEST_F(OutputFileTest, IsTakenBackWithoutCommit) {
  { OutputFile(file().string()).write("half"); }
  EXPECT_EQ(entries(), 0);
}

TEST_F(OutputFileTest, OfAKilledProcessLeavesNothing) {
  if (const int nameless = open(folder_.path().c_str(), O_WRONLY | O_TMPFILE, 0600); nameless >= 0)
    close(nameless);
  else
    GTEST_SKIP() << "files without a name (O_TMPFILE) are not to be had on " << folder_.path();
  const pid_t pid = fork();
  if (pid == 0) {
    OutputFile output(file().string());
    output.write("half");
    raise(SIGKILL);
  }
  int status = 0;
  waitpid(pid, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(entries(), 0);
}

TEST_F(OutputFileTest, StaysALinkToWhatItIsALinkTo) {
  const fs::path real = folder_.path() / "real";
  std::ofstream(real) << "before";
  fs::create_symlink("real", file());
  OutputFile output(file().string());
  output.write("after");
  output.commit();
  EXPECT_TRUE(fs::is_symlink(file()));
  EXPECT_EQ(text(), "after");
}

}  // namespace
}  // namespace strata::test
