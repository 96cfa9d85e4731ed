// SPDX-License-Identifier: Apache-2.0
// The account of unsimulated work that a process leaves, in the file that a launcher reads.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>

#include "dry_gpu/device/account/account.hpp"
#include "dry_gpu/device/refusals.hpp"
#include "tests/temporary_folder.hpp"

namespace strata::dry_gpu {
namespace {

// In a child, with a new account: runs `work`, and then ends as by `kill -9`.
strata_dry_gpu_account account_of_killed(const std::filesystem::path& folder, void (*work)()) {
  const pid_t child = fork();
  if (child == 0) {
    setenv("STRATA_DRY_GPU_ACCOUNTS", folder.c_str(), 1);
    work();
    raise(SIGKILL);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status));
  strata_dry_gpu_account account{};
  std::ifstream file(folder / (std::to_string(child) + ".account"), std::ios::binary);
  file.read(reinterpret_cast<char*>(&account), sizeof account);
  EXPECT_EQ(file.gcount(), static_cast<std::streamsize>(sizeof account));
  return account;
}

std::uint64_t sum(const strata_dry_gpu_slot (&slots)[STRATA_DRY_GPU_ACCOUNT_SLOTS]) {
  std::uint64_t total = 0;
  for (const strata_dry_gpu_slot& slot : slots) total += slot.value;
  return total;
}

TEST(Account, OutlivesItsProcess) {
  const test::TemporaryFolder folder;
  const strata_dry_gpu_account account = account_of_killed(folder.path(), [] {
    strata::dry_gpu::account().counts.launches.add(3);
    strata::dry_gpu::account().counts.unknown_bytes.add(12);
    strata::dry_gpu::account().counts.assumed_reads.add(7);
    strata::dry_gpu::account().counts.communicators.add(2);
    strata::dry_gpu::account().counts.unknown_workspaces.add(5);
    strata::dry_gpu::account().counts.asked_workspaces.add(53);
    strata::dry_gpu::account().counts.fitted_workspaces.add(12);
    strata::dry_gpu::account().counts.bounded_workspaces.add(4);
    static Refused function{"cudnnSomething"};
    for (int call = 0; call < 4; ++call) refuse(function);
  });
  EXPECT_STREQ(account.kind, STRATA_DRY_GPU_ACCOUNT);
  EXPECT_EQ(account.devices, 0u);
  EXPECT_EQ(sum(account.launches), 3u);
  EXPECT_EQ(sum(account.library_calls), 0u);
  EXPECT_EQ(sum(account.unknown_bytes), 12u);
  EXPECT_EQ(sum(account.assumed_reads), 7u);
  EXPECT_EQ(sum(account.communicators), 2u);
  EXPECT_EQ(sum(account.unknown_workspaces), 5u);
  EXPECT_EQ(sum(account.asked_workspaces), 53u);
  EXPECT_EQ(sum(account.fitted_workspaces), 12u);
  EXPECT_EQ(sum(account.bounded_workspaces), 4u);
  EXPECT_EQ(account.refused_functions, 1u);
  EXPECT_STREQ(account.refused[0].function, "cudnnSomething");
  EXPECT_EQ(account.refused[0].calls, 4u);
  EXPECT_STREQ(account.refused[1].function, "");
}

TEST(Account, IsKeptInMemoryWhereTheFolderIsGone) {
  const pid_t child = fork();
  if (child == 0) {
    setenv("STRATA_DRY_GPU_ACCOUNTS", "/nowhere", 1);
    account().counts.launches.add(2);
    _exit(account().counts.launches.total() == 2 ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace strata::dry_gpu
