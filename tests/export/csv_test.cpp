// SPDX-License-Identifier: Apache-2.0
#include "host/export/csv.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "host/export/text.hpp"
#include "tests/export/text_output.hpp"
#include "tests/export/training.hpp"
#include "tests/report/hostile_facts.hpp"

namespace strata::exports {
namespace {

using analysis::Facts;
using testing::training;
using Rows = std::vector<std::vector<std::string>>;

// RFC 4180.
Rows parsed(const std::string& text) {
  Rows rows(1, std::vector<std::string>(1));
  bool quoted = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char character = text[at];
    std::string& field = rows.back().back();
    if (quoted && character == '"' && at + 1 < text.size() && text[at + 1] == '"') {
      field += text[++at];
    } else if (character == '"') {
      quoted = !quoted;
    } else if (!quoted && character == ',') {
      rows.back().emplace_back();
    } else if (!quoted && character == '\n') {
      rows.emplace_back(1);
    } else {
      field += character;
    }
  }
  EXPECT_EQ(rows.back(), std::vector<std::string>(1)) << "ends in a newline";
  rows.pop_back();
  for (const auto& row : rows) EXPECT_EQ(row.size(), rows.front().size());
  return rows;
}

Rows table(const Facts& facts, Table table) {
  return parsed(testing::text_of(write_csv, facts, table));
}

TEST(Csv, HasTheCategoriesAsPublishedTablesDo) {
  const Facts facts = training();
  const Rows rows = table(facts, Table::kCategories);
  ASSERT_EQ(rows.size(), 7u);
  EXPECT_EQ(rows[0],
            (std::vector<std::string>{"bytes", "Parameter", "Optimizer_State", "Input", "Temporary",
                                      "Activation", "Gradient", "Autograd_Detail", "Unknown", "Allocated"}));
  std::vector<std::string> labels;
  for (const auto& row : rows) labels.push_back(row[0]);
  EXPECT_EQ(labels,
            (std::vector<std::string>{"bytes", "mean", "min", "median", "max", "mean_over_time", "at_peak"}));
  for (std::size_t category = 0; category < analysis::kCategories; ++category) {
    const auto& statistics = facts.statistics[category];
    EXPECT_NEAR(std::stod(rows[1][category + 1]), statistics.mean_over_events, 0.051);
    EXPECT_EQ(rows[2][category + 1], std::to_string(statistics.min));
    EXPECT_EQ(rows[3][category + 1], std::to_string(statistics.median));
    EXPECT_EQ(rows[4][category + 1], std::to_string(statistics.max));
    EXPECT_EQ(rows[6][category + 1], std::to_string(facts.peak.categories[category]));
  }
  EXPECT_EQ(rows[4].back(), std::to_string(facts.peak.allocated_bytes));
}

TEST(Csv, HasARowAnEvent) {
  const Facts facts = training();
  const Rows rows = table(facts, Table::kTimeline);
  ASSERT_EQ(rows.size(), facts.points.size() + 1);
  std::uint64_t most = 0;
  for (std::size_t event = 1; event < rows.size(); ++event) {
    std::uint64_t sum = 0;
    for (std::size_t column = 3; column < 11; ++column) sum += std::stoull(rows[event][column]);
    ASSERT_EQ(std::to_string(sum), rows[event][11]);
    ASSERT_EQ(rows[event][12], rows[event][11]) << "nothing is reserved beyond";
    most = std::max(most, rows[event][2] == "1" || rows[event][2] == "2" ? sum : 0);
  }
  EXPECT_EQ(most, facts.peak.allocated_bytes);
  EXPECT_EQ(rows[1][2], "") << "set up before the first step";
}

TEST(Csv, HasARowABlock) {
  const Facts facts = training();
  const Rows rows = table(facts, Table::kBlocks);
  ASSERT_EQ(rows.size(), facts.blocks.size() + 1);
  EXPECT_EQ(rows[1][1], "4096");
  EXPECT_EQ(rows[1][2], "Parameter");
  EXPECT_EQ(rows[1][5], "layers.0.weight");
  EXPECT_EQ(rows[1][10], "setup");
  EXPECT_EQ(rows[1][13], "") << "alive at the end";
}

TEST(Csv, HoldsAnyName) {
  const Facts facts = report::testing::hostile_facts();
  const Rows rows = table(facts, Table::kBlocks);
  ASSERT_EQ(rows.size(), facts.blocks.size() + 1);
  for (std::size_t block = 0; block < facts.blocks.size(); ++block) {
    const std::string name = valid_text(facts.texts[facts.blocks[block].name]);
    const bool is_formula = name.starts_with('=') || name.starts_with('@');
    EXPECT_EQ(rows[block + 1][5], is_formula ? "'" + name : name);
  }
}

TEST(Csv, HoldsNoFormula) {
  for (const char* formula : {"=1+1", "+1", "-1", "@SUM(A1)", "\tx"})
    EXPECT_EQ(csv_text(formula), std::string("'") + formula);
  EXPECT_EQ(csv_text("=HYPERLINK(\"x\",1)"), "\"'=HYPERLINK(\"\"x\"\",1)\"");
  EXPECT_EQ(csv_text("\rx"), "\"'\rx\"");
}

TEST(Text, IsMadeValidAndNothingElse) {
  EXPECT_EQ(valid_text("a\n\x01\"b"), "a\n\x01\"b");
  EXPECT_EQ(valid_text("\xff|\xc3("), "\uFFFD|\uFFFD(");
  EXPECT_EQ(csv_text("plain"), "plain");
  EXPECT_EQ(csv_text("a,\"b\"\n"), "\"a,\"\"b\"\"\n\"");
  EXPECT_EQ(csv_text("a=1"), "a=1");
  EXPECT_EQ(json_number(0.5), "0.5");
  EXPECT_EQ(json_number(std::nan("")), "null");
}

}  // namespace
}  // namespace strata::exports
