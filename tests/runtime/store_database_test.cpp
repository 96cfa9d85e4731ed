// SPDX-License-Identifier: Apache-2.0
// Moves rows from a spool's memory into SQLite, without a writer.
#include "host/runtime/store/store_database.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "host/runtime/store/spool.hpp"
#include "tests/runtime/run_folder.hpp"

namespace strata {
namespace {

struct NumberedRow {
  std::uint64_t number;
};

constexpr std::uint32_t kEven = 3;
constexpr std::uint32_t kOdd = 200;

Table numbered_table(const std::string& name) {
  return {name, "plugin", "", sizeof(NumberedRow), {{"number", STRATA_COLUMN_UINT64, 0, "", ""}}};
}

class StoreDatabaseTest : public testing::Test {
 protected:
  StoreDatabaseTest() { spool_.own(1); }

  void define(std::uint32_t handle, const Table& table) {
    database_.begin();
    database_.define(TableDefinition{handle, table});
    database_.commit();
  }

  void define_even_and_odd() {
    define(kEven, numbered_table("plugin_even"));
    define(kOdd, numbered_table("plugin_odd"));
  }

  template <typename Row>
  void append(std::uint32_t table, const Row& row) {
    ASSERT_EQ(spool_.append(table, &row, sizeof row), Spool::Answer::kAppended);
  }

  void append_numbers(std::uint64_t from, std::uint64_t to) {
    for (std::uint64_t number = from; number < to; ++number) {
      append(number % 2 == 0 ? kEven : kOdd, NumberedRow{number});
    }
  }

  // As the writer does: a batch is a transaction, and its space returns to the spool. Returns the number of
  // rows.
  std::uint64_t drain(std::uint64_t maximum_rows = 1'000'000) {
    SpoolReader reader(spool_.ring(), spool_.released(), spool_.written());
    const std::uint64_t rows = database_.stage_rows(reader, maximum_rows);
    database_.begin();
    try {
      database_.insert_rows();
      database_.commit();
      spool_.release(reader.position());
      return rows;
    } catch (const SqliteError&) {
      database_.rollback();
      throw;
    }
  }

  std::vector<std::string> stored(const std::string& sql) const { return query(file_, sql); }
  std::int64_t number(const std::string& sql) const { return query_integer(file_, sql); }
  // Rows of the two tables, each once and in order, from 0 to `end` (exclusive).
  void expect_numbers_below(std::int64_t end) const {
    for (const std::string table : {"plugin_even", "plugin_odd"}) {
      const std::int64_t first = table == "plugin_even" ? 0 : 1;
      EXPECT_EQ(number("SELECT count(*) FROM " + table), (end - first + 1) / 2) << table;
      EXPECT_EQ(number("SELECT count(*) FROM " + table + " WHERE number <> 2 * (rowid - 1) + " +
                       std::to_string(first)),
                0)
          << table;
    }
  }

  const RunFolder folder_;
  const std::filesystem::path file_ = folder_.path() / "test.sqlite";
  Spool spool_{folder_.path() / "test.spool", std::uint64_t{1} << 20};
  StoreDatabase database_{file_};
};

struct [[gnu::packed]] PackedRow {
  std::uint32_t text;
  double real;  // at an offset no compiler would choose
  std::uint32_t small;
  std::uint64_t address;
  std::int64_t negative;
};

TEST_F(StoreDatabaseTest, KeepsTheValuesOfEveryType) {
  // In a different order from the fields.
  define(1, {"plugin_types",
             "plugin",
             "",
             sizeof(PackedRow),
             {{"negative", STRATA_COLUMN_INT64, offsetof(PackedRow, negative), "", ""},
              {"address", STRATA_COLUMN_UINT64, offsetof(PackedRow, address), "", ""},
              {"real", STRATA_COLUMN_REAL, offsetof(PackedRow, real), "", ""},
              {"text", STRATA_COLUMN_STRING, offsetof(PackedRow, text), "", ""},
              {"small", STRATA_COLUMN_UINT32, offsetof(PackedRow, small), "", ""}}});
  database_.begin();
  database_.define(TextDefinition{std::numeric_limits<std::uint32_t>::max(), "the last"});
  database_.commit();
  using Signed = std::numeric_limits<std::int64_t>;
  using Small = std::numeric_limits<std::uint32_t>;
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  append(1, PackedRow{0, 0.1, 0, 0, 0});
  append(1, PackedRow{Small::max(), -kInfinity, Small::max(), std::uint64_t{1} << 63, Signed::min()});
  append(1, PackedRow{0, std::nan(""), 1, std::numeric_limits<std::uint64_t>::max(), Signed::max()});
  append(1, PackedRow{0, 3.0, 2, 7, -1});
  append(1, PackedRow{0, std::numeric_limits<double>::denorm_min(), 2, 7, -1});
  EXPECT_EQ(drain(), 5U);
  EXPECT_EQ(
      stored("SELECT negative, address, s.text, small FROM plugin_types t "
             "JOIN string s ON s.id = t.text ORDER BY t.rowid"),
      (std::vector<std::string>{"0|0||0", "-9223372036854775808|-9223372036854775808|the last|4294967295",
                                "9223372036854775807|-1||1", "-1|7||2", "-1|7||2"}));
  EXPECT_EQ(
      stored("SELECT typeof(real), real = 0.1, real = 3, real < -1e308, real > 0 AND real < 1e-300 "
             "FROM plugin_types ORDER BY rowid"),
      (std::vector<std::string>{"real|1|0|0|0", "real|0|0|1|0", "null||||", "real|0|1|0|0", "real|0|0|0|1"}));
  EXPECT_EQ(number("SELECT count(*) FROM plugin_types WHERE typeof(negative) <> 'integer' OR "
                   "typeof(address) <> 'integer' OR typeof(text) <> 'integer' OR typeof(small) <> 'integer'"),
            0);
}

TEST_F(StoreDatabaseTest, KeepsAsManyColumnsAsATableMayHave) {
  Table table{"plugin_wide", "plugin", "", 4 * kMaximumColumns, {}};
  std::vector<std::uint32_t> row;
  std::string sum = "0";
  for (std::uint32_t index = 0; index < kMaximumColumns; ++index) {
    const std::string name = "column_" + std::to_string(index);
    table.columns.push_back({name, STRATA_COLUMN_UINT32, 4 * index, "", ""});
    row.push_back(index);
    if (index % 100 == 99) sum += " + " + name;
  }
  define(1, table);
  ASSERT_EQ(spool_.append(1, row.data(), 4 * kMaximumColumns), Spool::Answer::kAppended);
  EXPECT_EQ(drain(), 1U);
  EXPECT_EQ(number("SELECT " + sum + " FROM plugin_wide"),
            99 + 199 + 299 + 399 + 499 + 599 + 699 + 799 + 899 + 999);
}

TEST_F(StoreDatabaseTest, StopsInTheMiddleOfASpoolAndGoesOn) {
  define_even_and_odd();
  append_numbers(0, 1000);
  EXPECT_EQ(drain(1), 1U);
  EXPECT_EQ(drain(500), 500U);
  expect_numbers_below(501);
  EXPECT_EQ(drain(), 499U);
  EXPECT_EQ(drain(), 0U);
  expect_numbers_below(1000);
}

// More rows than are found at a time, and than fit the ring: records wrap around its end.
TEST_F(StoreDatabaseTest, KeepsTheOrderOfManyRows) {
  define_even_and_odd();
  std::uint64_t from = 0;
  for (const std::uint64_t rows : {50'001U, 40'000U, 1U, 60'000U}) {
    append_numbers(from, from + rows);
    EXPECT_EQ(drain(), rows);
    from += rows;
  }
  expect_numbers_below(static_cast<std::int64_t>(from));
}

// More rows than the stage has room for: it takes as many as fit, and the rest later.
TEST_F(StoreDatabaseTest, StagesWhatHasRoom) {
  Table table = numbered_table("plugin_wide");
  table.row_bytes = kMaximumRowBytes;
  for (std::uint32_t offset = 8; offset < kMaximumRowBytes; offset += 8) {
    table.columns.push_back({"column_" + std::to_string(offset), STRATA_COLUMN_UINT64, offset, "", ""});
  }
  define(1, table);
  std::vector<std::uint64_t> row(kMaximumRowBytes / 8, std::numeric_limits<std::uint64_t>::max() / 2);
  constexpr std::uint64_t kRows = 200;
  for (row[0] = 0; row[0] < kRows; ++row[0]) {
    ASSERT_EQ(spool_.append(1, row.data(), kMaximumRowBytes), Spool::Answer::kAppended);
  }
  std::uint64_t staged = 0;
  SpoolReader reader(spool_.ring(), 0, spool_.written());
  while (!database_.is_stage_full()) {  // the same rows, as if of many threads
    ASSERT_LT(staged, 10'000U);
    reader = SpoolReader(spool_.ring(), 0, spool_.written());
    staged += database_.stage_rows(reader, 1'000'000);
  }
  EXPECT_EQ(database_.staged_rows(), staged);
  EXPECT_LT(reader.position(), spool_.written());
  for (int batch = 0; batch < 2; ++batch) {
    database_.begin();
    database_.insert_rows();
    database_.commit();
    EXPECT_EQ(database_.staged_rows(), 0U);
    EXPECT_FALSE(database_.is_stage_full());
    if (batch == 0) staged += database_.stage_rows(reader, 1'000'000);
  }
  EXPECT_EQ(reader.position(), spool_.written());
  EXPECT_EQ(number("SELECT count(*) FROM plugin_wide"), static_cast<std::int64_t>(staged));
  EXPECT_EQ(staged % kRows, 0U);
}

TEST_F(StoreDatabaseTest, InsertsIntoATableThatIsDefinedBetweenTwoBatches) {
  define(kEven, numbered_table("plugin_even"));
  append(kEven, NumberedRow{0});
  EXPECT_EQ(drain(), 1U);
  define(kOdd, numbered_table("plugin_odd"));
  append_numbers(1, 10);
  EXPECT_EQ(drain(), 9U);
  expect_numbers_below(10);
}

TEST_F(StoreDatabaseTest, KeepsWhatCameBeforeDamage) {
  define_even_and_odd();
  append_numbers(0, 7);
  const std::uint64_t damage = spool_.written();
  append(99, NumberedRow{7});  // no such table
  append_numbers(7, 10);
  SpoolReader reader(spool_.ring(), 0, spool_.written());
  EXPECT_THROW(database_.stage_rows(reader, 100), SpoolError);
  database_.begin();
  database_.insert_rows();
  database_.commit();
  EXPECT_EQ(reader.position(), damage);
  expect_numbers_below(7);
}

// SQLite refuses one row of many; nothing of the batch stays. The retry writes the whole batch.
TEST_F(StoreDatabaseTest, TriesABatchAgainAsAWhole) {
  define_even_and_odd();
  append_numbers(0, 10);
  EXPECT_EQ(drain(), 10U);
  append_numbers(10, 20'000);
  SqliteConnection other(file_);
  other.execute(
      "CREATE TRIGGER refuse BEFORE INSERT ON plugin_odd WHEN new.number = 15001 "
      "BEGIN SELECT RAISE(ABORT, 'not this one'); END");
  for (int attempt = 0; attempt < 2; ++attempt) {
    EXPECT_THROW(drain(), SqliteError);
    expect_numbers_below(10);
  }
  other.execute("DROP TRIGGER refuse");
  append_numbers(20'000, 20'100);
  EXPECT_EQ(drain(), 20'090U);
  expect_numbers_below(20'100);
}

TEST_F(StoreDatabaseTest, ShowsTheStageToItselfAlone) {
  define_even_and_odd();
  append_numbers(0, 10);
  drain();
  EXPECT_EQ(number("SELECT count(*) FROM sqlite_master WHERE name LIKE 't%' AND name NOT LIKE 'table_info'"),
            0);
  EXPECT_THROW(stored("SELECT * FROM stage.t3"), SqliteError);
  database_.close();
  EXPECT_EQ(stored("PRAGMA integrity_check"), std::vector<std::string>{"ok"});
}

}  // namespace
}  // namespace strata
