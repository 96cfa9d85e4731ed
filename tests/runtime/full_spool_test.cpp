// SPDX-License-Identifier: Apache-2.0
// Rows that find their spool full, and rows that SQLite cannot accept.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <thread>
#include <vector>

#include "host/runtime/store/store.hpp"
#include "tests/runtime/counted_row.hpp"
#include "tests/runtime/run_folder.hpp"

namespace strata {
namespace {

class FullSpoolTest : public testing::Test {
 protected:
  // Appends `rows` rows from each of two threads; returns how many were kept.
  std::int64_t append_from_two_threads(Store& store, std::uint64_t rows) const {
    const std::uint32_t table = store.declare("plugin", counted_table());
    std::atomic<std::int64_t> kept = 0;
    std::vector<std::thread> threads;
    for (std::uint32_t writer = 0; writer < 2; ++writer) {
      threads.emplace_back([&, writer] {
        CountedRow row{0, writer, static_cast<std::uint32_t>(gettid()), {}};
        for (row.count = 0; row.count < rows; ++row.count) kept += store.append(table, &row) ? 1 : 0;
      });
    }
    for (std::thread& thread : threads) thread.join();
    return kept;
  }

  std::int64_t stored_rows() const { return query_integer(file(), "SELECT count(*) FROM plugin_row"); }
  std::int64_t gap_rows() const {
    return query_integer(file(), "SELECT coalesce(sum(rows), 0) FROM gap WHERE table_name = 'plugin_row'");
  }
  std::filesystem::path file() const { return folder_.store(kPid); }

  RunFolder folder_;
};

TEST_F(FullSpoolTest, BlockKeepsEveryRowInOrder) {
  constexpr std::uint64_t kRows = 20'000;
  Store store(folder_.rank(), kPid, {OnFull::kBlock, 1}, {});
  EXPECT_EQ(append_from_two_threads(store, kRows), 2 * kRows);
  store.close("done");
  EXPECT_EQ(store.drops(), 0U);
  EXPECT_EQ(gap_rows(), 0);
  EXPECT_EQ(query(file(), "SELECT writer, count(*), min(count), max(count) FROM plugin_row GROUP BY writer"),
            (std::vector<std::string>{"0|20000|0|19999", "1|20000|0|19999"}));
  EXPECT_EQ(
      query_integer(file(),
                    "SELECT count(*) FROM (SELECT count - lag(count) OVER (PARTITION BY writer ORDER BY "
                    "rowid) AS difference FROM plugin_row) WHERE difference < 0"),
      0);
}

TEST_F(FullSpoolTest, DropCountsEveryRowItLoses) {
  constexpr std::uint64_t kRows = 20'000;
  Store store(folder_.rank(), kPid, {OnFull::kDrop, 1}, {});
  const std::int64_t kept = append_from_two_threads(store, kRows);
  store.close("done");
  EXPECT_GT(store.drops(), 0U);
  EXPECT_EQ(kept + static_cast<std::int64_t>(store.drops()), 2 * kRows);
  EXPECT_EQ(stored_rows(), kept);
  EXPECT_EQ(gap_rows(), static_cast<std::int64_t>(store.drops()));
  EXPECT_EQ(query_integer(file(), "SELECT count(*) FROM gap WHERE begin_ns > end_ns OR thread = 0"), 0);
  EXPECT_EQ(store.lost(), "") << "they might be dropped";
}

// Files cannot grow for a while, as on a full disk: no thread waits forever, every loss is counted, and once
// there is space again the store is complete.
TEST_F(FullSpoolTest, OutlivesAFullDisk) {
  constexpr std::uint64_t kRows = 20'000;
  Store store(folder_.rank(), kPid, {OnFull::kBlock, std::uint64_t{64} << 10}, {});
  const std::uint32_t table = store.declare("plugin", counted_table());
  const CountedRow row{};
  ASSERT_TRUE(store.append(table, &row));
  std::this_thread::sleep_for(std::chrono::milliseconds(500));  // the pool has its spare files

  std::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const rlimit tight{std::uint64_t{256} << 10, before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &tight);
  const std::int64_t kept = append_from_two_threads(store, kRows);
  setrlimit(RLIMIT_FSIZE, &before);

  EXPECT_GT(store.drops(), 0U);
  EXPECT_FALSE(store.problems().empty());
  store.close("done");
  EXPECT_EQ(kept + static_cast<std::int64_t>(store.drops()), 2 * kRows);
  EXPECT_EQ(stored_rows(), kept + 1);
  EXPECT_EQ(gap_rows(), static_cast<std::int64_t>(store.drops()));
  EXPECT_EQ(query(file(), "SELECT value FROM meta WHERE key = 'state'"), std::vector<std::string>{"closed"});
  EXPECT_TRUE(store.lost().starts_with(std::to_string(store.drops()) + " rows of this run are lost"))
      << store.lost();
}

// SQLite refuses one row of a batch for a while: all rows of the batch wait in their spools and are then
// written together.
TEST_F(FullSpoolTest, OutlivesARefusal) {
  Store store(folder_.rank(), kPid, {}, {});
  const std::uint32_t table = store.declare("plugin", counted_table());
  CountedRow row{};
  ASSERT_TRUE(store.append(table, &row));
  const auto exists = [this] {
    return query_integer(file(), "SELECT count(*) FROM sqlite_master WHERE name = 'plugin_row'") == 1;
  };
  while (!exists()) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  SqliteConnection other(file());
  sqlite3_busy_timeout(other.get(), 1000);
  other.execute(
      "CREATE TRIGGER refuse BEFORE INSERT ON plugin_row WHEN new.count = 700 "
      "BEGIN SELECT RAISE(ABORT, 'not this one'); END");
  for (row.count = 1; row.count < 1000; ++row.count) ASSERT_TRUE(store.append(table, &row));
  while (store.problems().empty()) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_LT(stored_rows(), 701);
  other.execute("DROP TRIGGER refuse");
  store.close("done");
  EXPECT_NE(store.problems().front().find("not this one"), std::string::npos);
  EXPECT_EQ(store.drops(), 0U);
  EXPECT_EQ(store.lost(), "");
  EXPECT_EQ(stored_rows(), 1000);
  EXPECT_EQ(query_integer(file(), "SELECT count(*) FROM plugin_row WHERE count <> rowid - 1"), 0);
}

}  // namespace
}  // namespace strata
