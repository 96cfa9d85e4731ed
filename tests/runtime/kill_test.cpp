// SPDX-License-Identifier: Apache-2.0
// A killed process keeps every row that was reported as kept.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <random>
#include <stdexcept>
#include <string>

#include "strata/runtime/recovery.hpp"
#include "tests/runtime/run_folder.hpp"
#include "tests/runtime/victim_report.hpp"

namespace strata {
namespace {

constexpr int kKills = 20;

struct Victim {
  std::uint32_t pid = 0;
  std::array<std::uint64_t, kVictimWriters> told{};  // rows by writer, from the pipe
};

// Starts a victim and kills it `delay` after its first row. Then reads the pipe to its end.
Victim kill_after(const std::filesystem::path& rank_folder, std::chrono::microseconds delay) {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) throw std::runtime_error("no pipe");
  const std::string descriptor = std::to_string(ends[1]);
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    execl(STRATA_STORE_VICTIM, STRATA_STORE_VICTIM, rank_folder.c_str(), descriptor.c_str(), nullptr);
    _exit(127);
  }
  close(ends[1]);
  Victim victim;
  victim.pid = static_cast<std::uint32_t>(child);
  std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
  bool killed = false;
  VictimReport report{};
  while (read(ends[0], &report, sizeof report) == ssize_t{sizeof report}) {
    victim.told.at(report.writer) = std::max(victim.told.at(report.writer), report.rows);
    const auto now = std::chrono::steady_clock::now();
    if (deadline == std::chrono::steady_clock::time_point::max()) deadline = now + delay;
    if (!killed && now >= deadline) {
      kill(child, SIGKILL);
      killed = true;
    }
  }
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << "the victim ended by itself: " << status;
  return victim;
}

TEST(KillTest, EveryRowThatWasKeptIsInTheStore) {
  std::mt19937 random(20261121);
  std::uint64_t recovered = 0;
  for (int round = 0; round < kKills; ++round) {
    const std::chrono::microseconds delay(std::uniform_int_distribution<int>(0, 300'000)(random));
    SCOPED_TRACE(testing::Message() << "killed " << delay.count() << " us after its first row");
    const RunFolder folder;
    const Victim victim = kill_after(folder.rank(), delay);

    const std::vector<RecoveredStore> stores = recover_run(folder.path());
    ASSERT_EQ(stores.size(), 1U);
    EXPECT_EQ(stores[0].problems, std::vector<std::string>{});
    recovered += stores[0].rows_recovered;
    const std::filesystem::path store = folder.store(victim.pid);
    EXPECT_EQ(query(store, "PRAGMA integrity_check"), std::vector<std::string>{"ok"});
    EXPECT_EQ(query(store, "SELECT value FROM meta WHERE key = 'state'"),
              std::vector<std::string>{"recovered"});
    EXPECT_FALSE(std::filesystem::exists(folder.spools(victim.pid)));
    for (std::uint32_t writer = 0; writer < kVictimWriters; ++writer) {
      const std::string of_writer = " FROM plugin_row WHERE writer = " + std::to_string(writer);
      const std::int64_t rows = query_integer(store, "SELECT count(*)" + of_writer);
      // The kill may happen between an append and its report.
      EXPECT_GE(rows, static_cast<std::int64_t>(victim.told[writer]));
      EXPECT_LE(rows, static_cast<std::int64_t>(victim.told[writer]) + 1);
      if (rows > 0) {
        EXPECT_EQ(query_integer(store, "SELECT max(count) + 1 - count(DISTINCT count)" + of_writer), 0);
      }
    }
    EXPECT_EQ(query_integer(store, "SELECT max(id) + 1 - count(*) FROM string"), 0);
  }
  EXPECT_GT(recovered, 0U) << "no kill left anything in a spool: this test has tested nothing";
}

}  // namespace
}  // namespace strata
