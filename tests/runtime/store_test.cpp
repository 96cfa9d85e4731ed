// SPDX-License-Identifier: Apache-2.0
#include "host/runtime/store/store.hpp"

#include <gtest/gtest.h>
#include <sqlite3.h>
#include <unistd.h>

#include <cmath>
#include <limits>
#include <stdexcept>
#include <thread>
#include <vector>

#include "tests/runtime/counted_row.hpp"
#include "tests/runtime/run_folder.hpp"

namespace strata {
namespace {

struct EveryType {
  std::uint32_t small;
  std::uint32_t text;
  std::int64_t negative;
  std::uint64_t address;
  double real;
};

const std::vector<strata_column>& every_column() {
  static const std::vector<strata_column> kColumns = {
      STRATA_COLUMN(EveryType, small, STRATA_COLUMN_UINT32, "", "a"),
      STRATA_COLUMN(EveryType, text, STRATA_COLUMN_STRING, "", "b"),
      STRATA_COLUMN(EveryType, negative, STRATA_COLUMN_INT64, "ns", "c"),
      STRATA_COLUMN(EveryType, address, STRATA_COLUMN_UINT64, "", "d"),
      STRATA_COLUMN(EveryType, real, STRATA_COLUMN_REAL, "", "e"),
  };
  return kColumns;
}

strata_table table_of(const std::vector<strata_column>& columns, const char* name, std::uint32_t row_bytes) {
  return {sizeof(strata_table),
          row_bytes,
          name,
          "a row",
          columns.data(),
          static_cast<std::uint32_t>(columns.size()),
          0};
}

class StoreTest : public testing::Test {
 protected:
  std::filesystem::path file() const { return folder_.store(kPid); }
  RunFolder folder_;
};

TEST_F(StoreTest, KeepsEveryTypeOfColumn) {
  Store store(folder_.rank(), kPid, {}, {{"name", "run"}});
  const std::uint32_t table = store.declare("plugin", table_of(every_column(), "types", sizeof(EveryType)));
  const strata_name name = store.intern("layers.0");
  EXPECT_STREQ(name.text, "layers.0");
  const EveryType rows[] = {
      {std::numeric_limits<std::uint32_t>::max(), name.id, -5, std::uint64_t{1} << 63, 0.5},
      {0, store.intern("").id, std::numeric_limits<std::int64_t>::min(), 7, std::nan("")},
  };
  for (const EveryType& row : rows) EXPECT_TRUE(store.append(table, &row));
  store.set_meta("first_step", "2");
  store.close("done");
  EXPECT_EQ(store.problems(), std::vector<std::string>{});

  EXPECT_EQ(query(file(),
                  "SELECT small, s.text, negative, address, real FROM plugin_types t "
                  "JOIN string s ON s.id = t.text ORDER BY small DESC"),
            (std::vector<std::string>{"4294967295|layers.0|-5|-9223372036854775808|0.5",
                                      "0||-9223372036854775808|7|"}));
  EXPECT_EQ(query_integer(file(), "SELECT count(*) FROM plugin_types WHERE real IS NULL"), 1);
  EXPECT_EQ(query(file(), "SELECT key, value FROM meta ORDER BY key"),
            (std::vector<std::string>{"end|done", "first_step|2", "name|run", "pid|4711",
                                      "schema|strata.store/1", "state|closed"}));
  EXPECT_EQ(query(file(), "SELECT name, plugin, help FROM table_info"),
            (std::vector<std::string>{"plugin_types|plugin|a row"}));
  EXPECT_EQ(query(file(), "SELECT position, name, type, unit, help FROM column_info ORDER BY position"),
            (std::vector<std::string>{"0|small|uint32||a", "1|text|string||b", "2|negative|int64|ns|c",
                                      "3|address|uint64||d", "4|real|real||e"}));
  EXPECT_FALSE(std::filesystem::exists(folder_.spools(kPid)));
  EXPECT_FALSE(std::filesystem::exists(file().string() + "-wal"));
}

TEST_F(StoreTest, IsOneFileAfterItWasRead) {
  { Store(folder_.rank(), kPid, {}, {}).close("done"); }
  sqlite3* reader = nullptr;
  ASSERT_EQ(sqlite3_open_v2(file().c_str(), &reader, SQLITE_OPEN_READONLY, nullptr), SQLITE_OK);
  EXPECT_EQ(sqlite3_exec(reader, "SELECT count(*) FROM meta", nullptr, nullptr, nullptr), SQLITE_OK);
  sqlite3_close(reader);
  for (const char* part : {"-wal", "-shm", "-journal"})
    EXPECT_FALSE(std::filesystem::exists(file().string() + part)) << part;
}

TEST_F(StoreTest, ClosesWhileSomebodyReads) {
  Store store(folder_.rank(), kPid, {}, {});
  sqlite3* reader = nullptr;
  ASSERT_EQ(sqlite3_open_v2(file().c_str(), &reader, SQLITE_OPEN_READONLY, nullptr), SQLITE_OK);
  EXPECT_EQ(sqlite3_exec(reader, "BEGIN; SELECT count(*) FROM meta", nullptr, nullptr, nullptr), SQLITE_OK);
  store.close("done");
  EXPECT_EQ(store.problems(), std::vector<std::string>{});
  sqlite3_close(reader);
  EXPECT_EQ(query(file(), "SELECT value FROM meta WHERE key = 'state'"), std::vector<std::string>{"closed"});
}

// Even before the writer's thread has run.
TEST_F(StoreTest, HasSpoolsBeforeTheFirstRow) {
  const Store store(folder_.rank(), kPid, {}, {});
  EXPECT_TRUE(std::filesystem::exists(folder_.spools(kPid) / "00001.spool"));
}

TEST_F(StoreTest, RefusesWhatTheStoreCannotHold) {
  Store store(folder_.rank(), kPid, {}, {});
  const auto refused = [&store](const char* plugin, const strata_table& table) {
    EXPECT_THROW(store.declare(plugin, table), std::invalid_argument) << plugin << '_' << table.name;
  };
  const std::uint32_t table = store.declare("plugin", counted_table());
  EXPECT_EQ(store.declare("plugin", counted_table()), table);
  refused("plugin", table_of(every_column(), "row", sizeof(EveryType)));
  refused("plugin", table_of(every_column(), "types", 8));
  refused("plugin", table_of(every_column(), "types", 5000));
  refused("plugin", table_of(every_column(), "Types", sizeof(EveryType)));
  refused("plugin", table_of({}, "types", 8));
  refused("table", table_of(every_column(), "info", sizeof(EveryType)));
  refused("sqlite", table_of(every_column(), "x", sizeof(EveryType)));
  const strata_column twice[] = {every_column()[0], every_column()[0]};
  refused("plugin", {sizeof(strata_table), sizeof(EveryType), "types", "", twice, 2, 0});
  const CountedRow row{};
  EXPECT_FALSE(store.append(0, &row));
  EXPECT_FALSE(store.append(table + 1, &row));
  EXPECT_FALSE(store.append(100'000, &row));
}

TEST_F(StoreTest, GivesATextTheSameIdOnEveryThread) {
  Store store(folder_.rank(), kPid, {}, {});
  const std::string long_text(300'000, 'x');
  const std::uint32_t first = store.intern("a").id;
  EXPECT_EQ(first, 1U);
  EXPECT_EQ(store.intern("").id, 0U);
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&] {
      for (int text = 0; text < 500; ++text) store.intern(std::to_string(text));
      EXPECT_EQ(store.intern("a").id, first);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(store.intern(long_text).id, 502U);
  store.close("done");
  EXPECT_EQ(query_integer(file(), "SELECT count(*) FROM string WHERE id > 0"), 502);
  EXPECT_EQ(query_integer(file(), "SELECT count(DISTINCT text) FROM string"), 503);
  EXPECT_EQ(query_integer(file(), "SELECT length(text) FROM string WHERE id = 502"), 300'000);
}

TEST_F(StoreTest, DoesEachSecondsWorkOnceMoreAtItsEnd) {
  int times = 0;
  {
    Store store(folder_.rank(), kPid, {}, {{"name", "run"}});
    store.each_second([&] { ++times; });
    store.close("done");
  }
  EXPECT_GE(times, 1);
}

TEST_F(StoreTest, TakesNothingOnceClosed) {
  Store store(folder_.rank(), kPid, {}, {});
  const std::uint32_t table = store.declare("plugin", counted_table());
  const CountedRow row{};
  EXPECT_TRUE(store.append(table, &row));
  store.close("done");
  store.close("failed");
  EXPECT_FALSE(store.append(table, &row));
  std::thread([&] { EXPECT_FALSE(store.append(table, &row)); }).join();
  EXPECT_EQ(store.drops(), 0U);
  EXPECT_EQ(query_integer(file(), "SELECT count(*) FROM plugin_row"), 1);
  EXPECT_EQ(query(file(), "SELECT value FROM meta WHERE key = 'end'"), std::vector<std::string>{"done"});
}

TEST_F(StoreTest, KeepsRowsThatRaceWithTheClose) {
  Store store(folder_.rank(), kPid, {}, {});
  const std::uint32_t table = store.declare("plugin", counted_table());
  std::atomic<int> started = 0;
  std::atomic<std::int64_t> kept = 0;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 3; ++thread) {
    threads.emplace_back([&] {
      const CountedRow row{};
      while (store.append(table, &row)) {
        if (++kept == 1000) ++started;
      }
    });
  }
  while (started == 0) std::this_thread::yield();
  store.close("done");
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(query_integer(file(), "SELECT count(*) FROM plugin_row"), kept);
}

TEST_F(StoreTest, IsOneAtATime) {
  const RunFolder other;
  const Store store(folder_.rank(), kPid, {}, {});
  EXPECT_THROW(Store(other.rank(), kPid, {}, {}), std::logic_error);
}

TEST_F(StoreTest, DoesNotReplaceAnEarlierRun) {
  { const Store store(folder_.rank(), kPid, {}, {}); }
  EXPECT_THROW(Store(folder_.rank(), kPid, {}, {}), std::runtime_error);
  EXPECT_EQ(query(file(), "SELECT value FROM meta WHERE key = 'state'"), std::vector<std::string>{"closed"});
}

TEST_F(StoreTest, JoinsBeginsWithEndsInViews) {
  struct Begin {
    std::uint64_t sequence, step;
    std::int64_t monotonic_ns;
    std::uint32_t schedule, micro_batches;
  };
  struct End {
    std::uint64_t sequence, step, tokens;
    std::int64_t monotonic_ns;
    double loss;
    std::uint32_t optimizer_ran;
  };
  const std::vector<strata_column> begin = {
      STRATA_COLUMN(Begin, sequence, STRATA_COLUMN_UINT64, "", ""),
      STRATA_COLUMN(Begin, monotonic_ns, STRATA_COLUMN_INT64, "ns", ""),
      STRATA_COLUMN(Begin, step, STRATA_COLUMN_UINT64, "", ""),
      STRATA_COLUMN(Begin, schedule, STRATA_COLUMN_UINT32, "", ""),
      STRATA_COLUMN(Begin, micro_batches, STRATA_COLUMN_UINT32, "", ""),
  };
  const std::vector<strata_column> end = {
      STRATA_COLUMN(End, sequence, STRATA_COLUMN_UINT64, "", ""),
      STRATA_COLUMN(End, monotonic_ns, STRATA_COLUMN_INT64, "ns", ""),
      STRATA_COLUMN(End, step, STRATA_COLUMN_UINT64, "", ""),
      STRATA_COLUMN(End, optimizer_ran, STRATA_COLUMN_UINT32, "", ""),
      STRATA_COLUMN(End, loss, STRATA_COLUMN_REAL, "", ""),
      STRATA_COLUMN(End, tokens, STRATA_COLUMN_UINT64, "", ""),
  };
  Store store(folder_.rank(), kPid, {}, {});
  const std::uint32_t begins = store.declare("host", table_of(begin, "step_begin", sizeof(Begin)));
  const std::uint32_t ends = store.declare("host", table_of(end, "step_end", sizeof(End)));
  const Begin first{1, 0, 10, 2, 4};
  const Begin second{9, 1, 90, 2, 4};
  const End first_end{8, 0, 512, 80, 2.5, 1};
  store.append(begins, &first);
  store.append(ends, &first_end);
  store.append(begins, &second);
  store.close("failed");
  EXPECT_EQ(query(file(), "SELECT * FROM step ORDER BY step"),
            (std::vector<std::string>{"0|2|4|1|8|10|80|1|2.5|512", "1|2|4|9||90||||"}));
  EXPECT_EQ(query_integer(file(), "SELECT count(*) FROM sqlite_master WHERE type = 'view'"), 1);
}

TEST_F(StoreTest, OneIsOpenAtATimeAndTheNextWhenItWasClosed) {
  Store first(folder_.rank(), kPid, {}, {});
  EXPECT_THROW(Store(folder_.rank(), kPid + 1, {}, {}), std::logic_error);
  const std::uint32_t first_table =
      first.declare("plugin", table_of(every_column(), "types", sizeof(EveryType)));
  const EveryType row{};
  EXPECT_TRUE(first.append(first_table, &row));
  first.close("done");

  Store second(folder_.rank(), kPid + 2, {}, {});
  const std::uint32_t table = second.declare("plugin", table_of(every_column(), "types", sizeof(EveryType)));
  EXPECT_TRUE(second.append(table, &row));
  EXPECT_FALSE(first.append(first_table, &row));
  second.close("done");
  EXPECT_EQ(query(file(), "SELECT count(*) FROM plugin_types"), std::vector<std::string>{"1"});
  EXPECT_EQ(query(folder_.store(kPid + 2), "SELECT count(*) FROM plugin_types"),
            std::vector<std::string>{"1"});
}

}  // namespace
}  // namespace strata
