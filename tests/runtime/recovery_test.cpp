// SPDX-License-Identifier: Apache-2.0
#include "strata/runtime/recovery.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <random>
#include <thread>
#include <vector>

#include "host/runtime/store/spool_format.hpp"
#include "host/runtime/store/store.hpp"
#include "host/runtime/store/store_database.hpp"
#include "host/runtime/store/store_place.hpp"
#include "tests/runtime/counted_row.hpp"
#include "tests/runtime/run_folder.hpp"

namespace strata {
namespace {

constexpr std::int64_t kRows = 100;

class RecoveryTest : public testing::Test {
 protected:
  // A run whose process died with `kRows` rows in one spool; the writer may have moved some of them.
  RecoveryTest() {
    std::filesystem::create_directories(folder_.rank());
    const pid_t child = fork();
    if (child == 0) {
      Store store(folder_.rank(), kPid, {OnFull::kDrop, 1}, {});
      const std::uint32_t table = store.declare("plugin", counted_table());
      CountedRow row{};
      for (row.count = 0; row.count < kRows; ++row.count) store.append(table, &row);
      _exit(0);
    }
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }

  std::filesystem::path file() const { return folder_.store(kPid); }
  std::filesystem::path spool(const char* name) const { return folder_.spools(kPid) / name; }

  // Overwrites bytes of the first spool.
  template <typename T>
  void poke(std::size_t offset, const T& value) const {
    std::fstream stream(spool("00001.spool"), std::ios::in | std::ios::out | std::ios::binary);
    stream.seekp(static_cast<std::streamoff>(offset));
    stream.write(reinterpret_cast<const char*>(&value), sizeof value);
  }

  // The only problem that recovery reports; a second recovery must report it again without harm.
  std::string recover_with_problem() const {
    const RecoveredStore first = recover_run(folder_.path()).at(0);
    const RecoveredStore second = recover_run(folder_.path()).at(0);
    EXPECT_EQ(first.problems, second.problems);
    EXPECT_EQ(second.rows_recovered, 0U);
    EXPECT_EQ(query(file(), "PRAGMA integrity_check"), std::vector<std::string>{"ok"});
    EXPECT_TRUE(std::filesystem::exists(folder_.spools(kPid)));
    return first.problems.size() == 1 ? first.problems[0] : "";
  }

  std::int64_t stored_rows() const { return query_integer(file(), "SELECT count(*) FROM plugin_row"); }

  RunFolder folder_;
};

TEST_F(RecoveryTest, DrainsADeadProcessOnce) {
  const std::vector<RecoveredStore> first = recover_run(folder_.path());
  ASSERT_EQ(first.size(), 1U);
  EXPECT_EQ(first[0].store, file());
  EXPECT_EQ(first[0].problems, std::vector<std::string>{});
  EXPECT_EQ(stored_rows(), kRows);
  EXPECT_FALSE(std::filesystem::exists(folder_.spools(kPid)));
  const std::vector<RecoveredStore> second = recover_run(folder_.path());
  ASSERT_EQ(second.size(), 1U);
  EXPECT_EQ(second[0].rows_recovered, 0U);
  EXPECT_EQ(stored_rows(), kRows);
}

TEST_F(RecoveryTest, IsSafeFromTwoThreadsAtOnce) {
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 2; ++thread) {
    threads.emplace_back([this] { EXPECT_TRUE(recover_run(folder_.path()).at(0).problems.empty()); });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(stored_rows(), kRows);
}

TEST_F(RecoveryTest, LeavesALivingProcessAlone) {
  Store store(folder_.rank(), kPid + 1, {}, {});
  const std::uint32_t table = store.declare("plugin", counted_table());
  const CountedRow row{};
  EXPECT_TRUE(store.append(table, &row));
  const std::vector<RecoveredStore> stores = recover_run(folder_.path());
  ASSERT_EQ(stores.size(), 2U);
  EXPECT_EQ(stores[1].store, folder_.store(kPid + 1));
  EXPECT_EQ(stores[1].problems, std::vector<std::string>{});
  EXPECT_TRUE(store.append(table, &row));
  store.close("done");
  EXPECT_EQ(query_integer(folder_.store(kPid + 1), "SELECT count(*) FROM plugin_row"), 2);
}

TEST_F(RecoveryTest, RefusesAFolderThatIsNoRun) {
  const RunFolder empty;
  EXPECT_THROW(recover_run(empty.path()), std::runtime_error);
  EXPECT_THROW(recover_run(empty.path() / "absent"), std::runtime_error);
}

// A kill while a spool is created.
TEST_F(RecoveryTest, PassesOverAFileThatWasNotFinished) {
  std::ofstream(spool("00009.spool.part")) << "not yet";
  EXPECT_EQ(recover_run(folder_.path()).at(0).problems, std::vector<std::string>{});
  EXPECT_EQ(stored_rows(), kRows);
  EXPECT_FALSE(std::filesystem::exists(folder_.spools(kPid)));
}

TEST_F(RecoveryTest, ReportsAWrongMagic) {
  poke(offsetof(SpoolHeader, magic), std::uint64_t{0});
  EXPECT_NE(recover_with_problem().find("not a spool"), std::string::npos);
}

TEST_F(RecoveryTest, ReportsAnotherVersionAndByteOrder) {
  poke(offsetof(SpoolHeader, version), std::uint32_t{99});
  EXPECT_NE(recover_with_problem().find("spool version 99"), std::string::npos);
  poke(offsetof(SpoolHeader, byte_order), std::uint32_t{0x04030201});
  EXPECT_NE(recover_with_problem().find("other byte order"), std::string::npos);
}

TEST_F(RecoveryTest, ReportsACapacityThatCannotBe) {
  poke(offsetof(SpoolHeader, capacity_bytes), std::uint64_t{1} << 60);
  EXPECT_NE(recover_with_problem().find("is not possible"), std::string::npos);
  poke(offsetof(SpoolHeader, capacity_bytes), std::uint64_t{kMinimumSpoolBytes * 2});
  EXPECT_NE(recover_with_problem().find("wrong size"), std::string::npos);
}

TEST_F(RecoveryTest, ReportsACutFile) {
  std::filesystem::resize_file(spool("00001.spool"), kSpoolRingOffset + 64);
  EXPECT_NE(recover_with_problem().find("wrong size"), std::string::npos);
  std::filesystem::resize_file(spool("00001.spool"), 100);
  EXPECT_NE(recover_with_problem().find("truncated"), std::string::npos);
}

TEST_F(RecoveryTest, ReportsPositionsThatCannotBe) {
  poke(offsetof(SpoolHeader, written), std::uint64_t{1} << 50);
  EXPECT_NE(recover_with_problem().find("do not fit"), std::string::npos);
  poke(offsetof(SpoolHeader, written), std::uint64_t{13});
  EXPECT_NE(recover_with_problem().find("do not fit"), std::string::npos);
}

TEST_F(RecoveryTest, ReportsAGapThatNamesAnotherTable) {
  poke(offsetof(SpoolHeader, gaps) + 3 * sizeof(Gap), Gap{200, 1, 5, 1, 2});
  EXPECT_NE(recover_with_problem().find("the gap of table 3"), std::string::npos);
}

TEST_F(RecoveryTest, KeepsTheGapsBeforeOneOfNoTable) {
  poke(offsetof(SpoolHeader, gaps) + 1 * sizeof(Gap), Gap{1, 7, 5, 1, 2});
  poke(offsetof(SpoolHeader, gaps) + 3 * sizeof(Gap), Gap{3, 7, 5, 1, 2});
  EXPECT_NE(recover_with_problem().find("a gap of table 3, which is not defined"), std::string::npos);
  EXPECT_EQ(query(file(), "SELECT thread, rows FROM gap"), std::vector<std::string>{"7|5"});
}

TEST_F(RecoveryTest, ReportsDamagedDefinitions) {
  std::ofstream(spool("definitions"), std::ios::binary) << "something else";
  const RecoveredStore store = recover_run(folder_.path()).at(0);
  ASSERT_FALSE(store.problems.empty());
  EXPECT_NE(store.problems[0].find("does not begin with STRDEFS1"), std::string::npos);
  EXPECT_TRUE(std::filesystem::exists(spool("definitions")));
}

// For any bytes, recovery ends and the store is intact.
TEST_F(RecoveryTest, SurvivesRandomBytes) {
  std::mt19937_64 random(1);
  const auto original = [](const std::filesystem::path& path) {
    std::ifstream stream(path, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(stream), {});
  };
  const std::string definitions = original(spool("definitions"));
  const std::string rows = original(spool("00001.spool"));
  // In the ring of `kRows` rows, in the header, in the definitions.
  constexpr std::size_t kUsedBytes = kRows * record_bytes(sizeof(CountedRow));
  for (int round = 0; round < 60; ++round) {
    std::string damaged_definitions = definitions;
    std::string damaged_rows = rows;
    for (int byte = 0; byte < 8; ++byte) {
      const char value = static_cast<char>(random());
      if (round % 3 == 0) damaged_definitions[8 + random() % (definitions.size() - 8)] = value;
      if (round % 3 == 1) damaged_rows[kSpoolRingOffset + random() % kUsedBytes] = value;
      if (round % 3 == 2) damaged_rows[random() % sizeof(SpoolHeader)] = value;
    }
    std::filesystem::create_directories(folder_.spools(kPid));
    for (const char* part : {"", "-wal", "-shm"}) std::filesystem::remove(file().string() + part);
    std::ofstream(file()).flush();
    std::ofstream(spool("definitions"), std::ios::binary) << damaged_definitions;
    std::ofstream(spool("00001.spool"), std::ios::binary) << damaged_rows;
    EXPECT_EQ(recover_run(folder_.path()).size(), 1U);
    EXPECT_EQ(query(file(), "PRAGMA integrity_check"), std::vector<std::string>{"ok"});
  }
}

// Killed, or out of space, while the finished store was moved to its network file system. Without spools:
// an older version of Strata removed them first.
TEST_F(RecoveryTest, MovesHomeAStoreThatWasBuiltElsewhere) {
  for (const bool with_spools : {true, false}) {
    const std::uint32_t pid = with_spools ? kPid + 1 : kPid + 2;
    const StorePlace place = StorePlace::create(folder_.rank(), pid, true);
    StoreDatabase(place.database()).close();
    if (!with_spools) std::filesystem::remove_all(place.spool_folder());
    const std::filesystem::path in_the_way = folder_.rank() / (std::to_string(pid) + ".sqlite.part");
    std::filesystem::create_directory(in_the_way);
    EXPECT_EQ(recover_run(folder_.path()).back().problems.size(), 1U);
    EXPECT_FALSE(std::filesystem::exists(folder_.store(pid)));
    std::filesystem::remove(in_the_way);
    EXPECT_TRUE(recover_run(folder_.path()).back().problems.empty());
    EXPECT_EQ(query(folder_.store(pid), "PRAGMA integrity_check"), std::vector<std::string>{"ok"});
    EXPECT_FALSE(std::filesystem::exists(place.database().parent_path()));
  }
}

}  // namespace
}  // namespace strata
