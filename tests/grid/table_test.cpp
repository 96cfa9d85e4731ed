// SPDX-License-Identifier: Apache-2.0
#include "host/grid/table/table.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace strata::test {
namespace {

using namespace grid;

Table two_seeds() {
  return {.columns = {{"lr", ColumnKind::kText},
                      {"peak", ColumnKind::kBytes},
                      {"step", ColumnKind::kNanoseconds},
                      {"note", ColumnKind::kText}},
          .rows = {{text_entry("1"), number_entry(1048576.0), number_entry(2e6), text_entry("a")},
                   {text_entry("1"), number_entry(3145728.0), number_entry(4e6), text_entry("a")},
                   {text_entry("2"), number_entry(std::nullopt), number_entry(1e6),
                    text_entry("say \"x\", y | z")}}};
}

TEST(Table, GroupsWithSpread) {
  const Table table = grouped(two_seeds(), {"lr"});
  ASSERT_EQ(table.rows.size(), 2U);
  EXPECT_EQ(table.rows[0][1].number, 2097152.0);
  EXPECT_EQ(table.rows[0][1].least, 1048576.0);
  EXPECT_EQ(table.rows[0][1].most, 3145728.0);
  EXPECT_EQ(table.rows[0][3].text, "a");
  EXPECT_EQ(table.rows[0].back().number, 2.0);
  EXPECT_EQ(shown(table.rows[0][1], ColumnKind::kBytes), "2.000 (1.000 to 3.000)");
}

TEST(Table, IsWrittenAsCsv) {
  EXPECT_EQ(csv_table(two_seeds()),
            "lr,peak_bytes,step_ns,note\r\n1,1048576,2000000,a\r\n1,3145728,4000000,a\r\n2,,1000000,\"say "
            "\"\"x\"\", y | z\"\r\n");
  EXPECT_TRUE(
      csv_table(grouped(two_seeds(), {"lr"})).starts_with("lr,peak_bytes,peak_bytes_least,peak_bytes_most,"));
}

TEST(Table, IsWrittenAsMarkdown) {
  EXPECT_EQ(markdown_table(two_seeds()),
            "| lr | peak MiB | step ms | note |\n|---|---:|---:|---|\n| 1 | 1.000 | 2.00 | a |\n| 1 | 3.000 "
            "| 4.00 | a |\n"
            "| 2 |  | 1.00 | say \"x\", y \\| z |\n");
}

TEST(Table, IsWrittenAsJson) {
  const auto rows = nlohmann::json::parse(json_table(two_seeds()));
  EXPECT_EQ(rows[0]["peak_bytes"], 1048576);
  EXPECT_TRUE(rows[2]["peak_bytes"].is_null());
  EXPECT_EQ(rows[2]["note"], "say \"x\", y | z");
}

TEST(Table, IsLaidOutInColumns) {
  EXPECT_EQ(terminal_table({.columns = {{"a", ColumnKind::kText}, {"n", ColumnKind::kNumber}},
                            .rows = {{text_entry("long"), number_entry(7.0)},
                                     {text_entry("\x1b[2J"), number_entry(123456.0)}}}),
            "a           n\nlong        7\n\xEF\xBF\xBD[2J  123,456\n");
}

}  // namespace
}  // namespace strata::test
