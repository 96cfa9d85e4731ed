// SPDX-License-Identifier: Apache-2.0
// Rows as an in-memory database image, read by SQLite.
#include "host/runtime/store/row_image.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "tests/runtime/run_folder.hpp"

namespace strata {
namespace {

Table table_of(const std::vector<std::uint32_t>& types) {
  Table table{"plugin_table", "plugin", "", 0, {}};
  for (const std::uint32_t type : types) {
    table.columns.push_back({"column", type, table.row_bytes, "", ""});
    table.row_bytes += column_bytes(type);
  }
  return table;
}

// Small and large numbers, near every width that a record may use for them.
std::uint64_t pick_number(std::mt19937_64& random) {
  const std::uint64_t near = std::uint64_t{1} << random() % 64;
  const std::uint64_t number = near + random() % 3 - 1;
  return random() % 4 == 0 ? ~number : number;
}

std::vector<std::byte> pick_row(const Table& table, std::mt19937_64& random) {
  std::vector<std::byte> row(table.row_bytes);
  for (const Column& column : table.columns) {
    const std::uint64_t number = pick_number(random);
    const double real = number % 5 == 0 ? std::nan("") : static_cast<double>(number) / 8;
    const bool is_real = column.type == STRATA_COLUMN_REAL;
    std::memcpy(row.data() + column.offset, is_real ? static_cast<const void*>(&real) : &number,
                column_bytes(column.type));
  }
  return row;
}

class RowImageTest : public testing::Test {
 protected:
  // As many copies as fit, up to `most`.
  std::uint64_t fill(RowImage::Sheet& sheet, const std::vector<std::byte>& row, std::uint64_t most) {
    std::uint64_t rows = 0;
    while (rows < most && image_.add(sheet, row.data())) ++rows;
    return rows;
  }

  void show() { connection_.show("stage", image_.finish()); }

  std::vector<std::string> read(const std::string& sql) {
    std::vector<std::string> values;
    SqliteStatement statement(connection_, sql);
    while (statement.next()) values.push_back(statement.text(0));
    return values;
  }

  void expect_whole() { EXPECT_EQ(read("PRAGMA stage.integrity_check"), std::vector<std::string>{"ok"}); }

  // The fields that SQLite reads from a row, compared with the original fields.
  void expect_equal(const SqliteStatement& read, const Table& table, const std::vector<std::byte>& row) {
    for (int index = 0; index < static_cast<int>(table.columns.size()); ++index) {
      const Column& column = table.columns[static_cast<std::size_t>(index)];
      std::uint64_t bits = 0;
      std::memcpy(&bits, row.data() + column.offset, column_bytes(column.type));
      if (column.type != STRATA_COLUMN_REAL) {
        ASSERT_EQ(static_cast<std::uint64_t>(read.integer(index)), bits);
        continue;
      }
      const double real = std::bit_cast<double>(bits);
      ASSERT_EQ(read.text(index).empty(), std::isnan(real));
      ASSERT_EQ(read.real(index), std::isnan(real) ? 0 : real);  // NULL is 0
    }
  }

  RunFolder folder_;
  RowImage image_;
  SqliteConnection connection_{folder_.path() / "test.sqlite"};
};

TEST_F(RowImageTest, SqliteReadsEveryRowOfEveryTable) {
  std::mt19937_64 random(12);
  constexpr std::uint32_t kTypes[] = {STRATA_COLUMN_UINT32, STRATA_COLUMN_INT64, STRATA_COLUMN_UINT64,
                                      STRATA_COLUMN_REAL, STRATA_COLUMN_STRING};
  for (int round = 0; round < 4; ++round) {  // one image after another, at the same address
    std::vector<Table> tables;
    std::vector<RowImage::Sheet> sheets;
    // 126 and 127: from there a record's header needs another byte.
    for (const std::size_t columns : {1U, 2U, 14U, 126U, 127U, 400U}) {
      std::vector<std::uint32_t> types(columns);
      for (std::uint32_t& type : types) type = kTypes[random() % std::size(kTypes)];
      tables.push_back(table_of(types));
      sheets.emplace_back("t" + std::to_string(columns), tables.back());
    }
    std::vector<std::vector<std::vector<std::byte>>> rows(tables.size());
    for (int number = 0; number < 3000; ++number) {
      const std::size_t chosen = random() % tables.size();
      if (chosen == 5 && round == 3) continue;  // without rows it is not a table
      rows[chosen].push_back(pick_row(tables[chosen], random));
      ASSERT_TRUE(image_.add(sheets[chosen], rows[chosen].back().data()));
    }
    show();
    expect_whole();
    EXPECT_EQ(read("SELECT count(*) FROM stage.sqlite_schema").front(), round == 3 ? "5" : "6");
    for (std::size_t chosen = 0; chosen < tables.size(); ++chosen) {
      if (rows[chosen].empty()) continue;
      SqliteStatement all(connection_, "SELECT * FROM stage." + sheets[chosen].name() + " ORDER BY rowid");
      for (const auto& row : rows[chosen]) {
        ASSERT_TRUE(all.next());
        ASSERT_NO_FATAL_FAILURE(expect_equal(all, tables[chosen], row));
      }
      EXPECT_FALSE(all.next());
    }
    image_.clear();
  }
}

TEST_F(RowImageTest, TakesWhatHasRoomAndIsWholeWhenItIsFull) {
  std::mt19937_64 random(1);
  const Table narrow = table_of({STRATA_COLUMN_UINT32});
  const Table wide = table_of(std::vector<std::uint32_t>(kMaximumColumns, STRATA_COLUMN_UINT32));
  for (const Table* table : {&narrow, &wide}) {
    RowImage::Sheet sheet("t1", *table);
    const std::uint64_t rows =
        fill(sheet, pick_row(*table, random), std::numeric_limits<std::uint64_t>::max());
    EXPECT_GT(rows, 800U);
    EXPECT_EQ(image_.rows(), rows);
    show();
    expect_whole();
    EXPECT_EQ(read("SELECT count(*) FROM stage.t1").front(), std::to_string(rows));
    image_.clear();
  }
}

// The largest possible row: all of its bytes, in as many columns as possible, without small numbers.
TEST_F(RowImageTest, HasRoomForTheLargestRow) {
  for (const std::uint32_t type : {STRATA_COLUMN_UINT32, STRATA_COLUMN_INT64}) {
    const std::size_t columns = std::min<std::size_t>(kMaximumColumns, kMaximumRowBytes / column_bytes(type));
    const Table table = table_of(std::vector<std::uint32_t>(columns, type));
    RowImage::Sheet sheet("t255", table);
    EXPECT_EQ(fill(sheet, std::vector<std::byte>(table.row_bytes, std::byte{0x7f}), 3), 3U);
    show();
    expect_whole();
    EXPECT_EQ(read("SELECT count(*) FROM stage.t255").front(), "3");
    image_.clear();
  }
}

// If the first page has no room for more tables, the image reports it, and each table fits eventually.
TEST_F(RowImageTest, EveryTableFindsRoomInOneImageOrAnother) {
  const Table table = table_of(std::vector<std::uint32_t>(100, STRATA_COLUMN_UINT32));
  const std::vector<std::byte> row(table.row_bytes);
  std::vector<RowImage::Sheet> sheets;
  for (std::uint32_t handle = 1; handle <= kMaximumTables; ++handle) {
    sheets.emplace_back("t" + std::to_string(handle), table);
  }
  int images = 0;
  for (std::size_t next = 0; next < sheets.size(); ++images) {
    const std::size_t first = next;
    while (next < sheets.size() && image_.add(sheets[next], row.data())) ++next;
    ASSERT_GT(next, first) << "an image without rows has no room";
    show();
    expect_whole();
    EXPECT_EQ(read("SELECT count(*) FROM stage.sqlite_schema").front(), std::to_string(next - first));
    image_.clear();
  }
  EXPECT_GT(images, 1);
}

}  // namespace
}  // namespace strata
