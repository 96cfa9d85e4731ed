// SPDX-License-Identifier: Apache-2.0
// A run from an untrusted source, as if its process had died: recovery writes into it, but nothing in it is
// executed.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "host/runtime/store/store.hpp"
#include "host/runtime/store/store_database.hpp"
#include "strata/runtime/recovery.hpp"
#include "tests/runtime/run_folder.hpp"

namespace strata {
namespace {

namespace fs = std::filesystem;

std::string bytes_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

class HostileRecoveryTest : public testing::Test {
 protected:
  HostileRecoveryTest() {
    fs::create_directories(folder_.spools(kPid));
    fs::create_directory(outside_);
    StoreDatabase(file()).close();
  }

  fs::path file() const { return folder_.store(kPid); }
  // Another program's database, with a table that a store also has.
  fs::path others() const {
    SqliteConnection connection(outside_ / "4711.sqlite");
    connection.execute(
        "CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT); INSERT INTO meta VALUES ('a', 'b')");
    return outside_ / "4711.sqlite";
  }
  std::string recover() const {
    const std::vector<std::string> problems = recover_run(folder_.path()).at(0).problems;
    return problems.size() == 1 ? problems[0] : "";
  }
  std::vector<std::string> names_outside() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(outside_)) names.push_back(entry.path().filename());
    return names;
  }

  RunFolder folder_;
  const fs::path outside_ = folder_.path() / "outside";
};

TEST_F(HostileRecoveryTest, RunsNoTriggerOfTheStore) {
  {
    SqliteConnection connection(file());
    connection.execute("CREATE TABLE ran (what TEXT)");
    for (const std::string table : {"meta", "string", "gap", "spool"})
      connection.execute("CREATE TRIGGER of_" + table + " BEFORE INSERT ON " + table +
                         " BEGIN INSERT INTO ran VALUES ('" + table + "'); END");
  }
  EXPECT_EQ(recover_run(folder_.path()).at(0).problems, std::vector<std::string>{});
  EXPECT_EQ(query(file(), "SELECT value FROM meta WHERE key = 'state'"),
            std::vector<std::string>{"recovered"});
  EXPECT_EQ(query(file(), "SELECT what FROM ran"), std::vector<std::string>{});
}

TEST_F(HostileRecoveryTest, ReadsNoViewThatStandsForATable) {
  for (const std::string table : {"meta", "string", "gap", "spool"}) {
    fs::remove(file());
    StoreDatabase(file()).close();
    SqliteConnection connection(file());
    connection.execute("CREATE TABLE ran (what TEXT); DROP TABLE " + table + "; CREATE VIEW " + table +
                       " AS SELECT 1 AS key, 2 AS value; CREATE TRIGGER acts INSTEAD OF INSERT ON " + table +
                       " BEGIN INSERT INTO ran VALUES (1); END");
    connection.close();
    EXPECT_NE(recover().find("view"), std::string::npos) << table;
    EXPECT_EQ(query(file(), "SELECT what FROM ran"), std::vector<std::string>{}) << table;
  }
}

// After a rollback SQLite deletes the file that a database's journal names as the journal of several
// databases.
TEST_F(HostileRecoveryTest, DeletesNothingThatAJournalNames) {
  const fs::path precious = outside_ / "precious";
  std::ofstream(precious) << "mine\n";
  const auto number = [](std::uint32_t value) {
    std::string bytes;
    for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift);
    return bytes;
  };
  const std::string magic = "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7", name = precious.string();
  const auto pages = static_cast<std::uint32_t>(fs::file_size(file()) / 4096);
  std::string journal = magic + number(0) + number(1) + number(pages) + number(512) + number(4096);
  journal.resize(512);
  std::uint32_t sum = 0;
  for (const char character : name) sum += static_cast<std::uint32_t>(character);
  journal += number((1 << 30) / 4096 + 1) + name + number(static_cast<std::uint32_t>(name.size())) +
             number(sum) + magic;
  std::ofstream(file().string() + "-journal", std::ios::binary) << journal;
  EXPECT_NE(recover().find("-journal"), std::string::npos);
  EXPECT_TRUE(fs::exists(precious));
}

TEST_F(HostileRecoveryTest, FollowsNoLinkToAFolderOfRanks) {
  const fs::path database = others();
  fs::create_directory(outside_ / "4711.spool");
  const std::string before = bytes_of(database);
  fs::remove_all(folder_.rank());
  fs::create_directory_symlink(outside_, folder_.rank());
  EXPECT_NE(recover().find("rank0 is a symbolic link"), std::string::npos);
  EXPECT_EQ(bytes_of(database), before);
  EXPECT_TRUE(fs::is_empty(outside_ / "4711.spool"));
  EXPECT_EQ(names_outside().size(), 2U);
}

TEST_F(HostileRecoveryTest, FollowsNoLinkToADatabase) {
  const fs::path database = others();
  const std::string before = bytes_of(database);
  fs::remove(file());
  fs::create_symlink(database, file());
  EXPECT_NE(recover().find("4711.sqlite is a symbolic link"), std::string::npos);
  EXPECT_EQ(bytes_of(database), before);

  fs::remove(file());
  fs::create_symlink(outside_ / "new", file());
  EXPECT_NE(recover().find("4711.sqlite is a symbolic link"), std::string::npos);
  EXPECT_EQ(names_outside(), std::vector<std::string>{"4711.sqlite"});
}

TEST_F(HostileRecoveryTest, FollowsNoLinkToASpoolFolder) {
  fs::remove(folder_.spools(kPid));
  fs::create_directory_symlink(outside_, folder_.spools(kPid));
  EXPECT_NE(recover().find("4711.spool is a symbolic link"), std::string::npos);
  EXPECT_TRUE(fs::is_empty(outside_));
}

TEST_F(HostileRecoveryTest, TakesNoPipeForADatabase) {
  fs::remove(file());
  ASSERT_EQ(mkfifo(file().c_str(), 0600), 0);
  EXPECT_NE(recover().find("4711.sqlite is a symbolic link, or not a file"), std::string::npos);
}

// A new store is not created through a link either.
TEST_F(HostileRecoveryTest, MakesNoStoreThroughALink) {
  fs::remove_all(folder_.spools(kPid));
  fs::remove(file());
  fs::create_symlink(outside_ / "new", file());
  EXPECT_THROW(Store(folder_.rank(), kPid, {}, {}), std::exception);
  EXPECT_TRUE(fs::is_empty(outside_));
}

// The folder that contains the run may be reached through a link.
TEST_F(HostileRecoveryTest, GoesThroughALinkThatTheReaderNamed) {
  fs::create_directory_symlink(folder_.path(), folder_.path().string() + "-link");
  EXPECT_EQ(recover_run(folder_.path().string() + "-link").at(0).problems, std::vector<std::string>{});
  fs::remove(folder_.path().string() + "-link");
  EXPECT_EQ(query(file(), "SELECT value FROM meta WHERE key = 'state'"),
            std::vector<std::string>{"recovered"});
}

}  // namespace
}  // namespace strata
