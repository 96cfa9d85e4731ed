// SPDX-License-Identifier: Apache-2.0
#include "strata/runtime/run_stores.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "host/runtime/file_lock.hpp"
#include "host/runtime/store/store.hpp"
#include "tests/runtime/counted_row.hpp"
#include "tests/runtime/run_folder.hpp"

namespace strata {
namespace {

TEST(RunStores, AFolderThatIsNoRunHasNone) {
  const RunFolder folder;
  EXPECT_TRUE(find_run_stores(folder.path() / "nowhere").empty());
  EXPECT_TRUE(find_run_stores(folder.path()).empty());
}

TEST(RunStores, TellsWhetherTheProcessLives) {
  const RunFolder folder;
  std::filesystem::create_directories(folder.rank());
  {
    Store store(folder.rank(), kPid, {OnFull::kDrop, 1}, {});
    const auto found = find_run_stores(folder.path());
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].pid, kPid);
    EXPECT_EQ(found[0].database, folder.store(kPid));
    EXPECT_EQ(found[0].writer, StoreWriter::kAlive);
    // It was read, and is still held.
    EXPECT_TRUE(FileLock::is_held(folder.spools(kPid) / "owner"));
  }
  EXPECT_EQ(find_run_stores(folder.path()).at(0).writer, StoreWriter::kNone);
}

TEST(RunStores, TellsThatTheProcessDied) {
  const RunFolder folder;
  std::filesystem::create_directories(folder.rank());
  const pid_t child = fork();
  if (child == 0) {
    Store store(folder.rank(), kPid, {OnFull::kDrop, 1}, {});
    _exit(0);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(find_run_stores(folder.path()).at(0).writer, StoreWriter::kGone);
  // Reading leaves it to be recovered.
  EXPECT_TRUE(std::filesystem::exists(folder.spools(kPid)));
}

TEST(RunStores, AnotherMachinesIsElsewhere) {
  const RunFolder folder;
  std::filesystem::create_directories(folder.rank());
  std::ofstream(folder.rank() / "12.local") << "another-machine\n/tmp/strata-there\n";
  std::ofstream(folder.rank() / "x.sqlite").flush();
  const auto found = find_run_stores(folder.path());
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].pid, 12U);
  EXPECT_EQ(found[0].writer, StoreWriter::kElsewhere);
  EXPECT_TRUE(found[0].database.empty());
}

}  // namespace
}  // namespace strata
