// SPDX-License-Identifier: Apache-2.0
#include "host/export/json.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/analysis/json_schema.hpp"
#include "tests/export/text_output.hpp"
#include "tests/export/training.hpp"
#include "tests/report/hostile_facts.hpp"

namespace strata::exports {
namespace {

using analysis::Facts;
using testing::training;
using Json = nlohmann::json;

const Json& schema() {
  static const Json json = Json::parse(std::ifstream(STRATA_RUN_SCHEMA));
  return json;
}

// The export, after checking it against the schema, and the rows of its tables against their columns.
Json exported(const Facts& facts) {
  Json run = Json::parse(testing::text_of(write_json, facts));
  EXPECT_EQ(analysis::testing::violations(schema(), run), std::vector<std::string>());
  for (const char* table : {"steps", "phases", "blocks", "timeline", "segments"}) {
    for (const Json& row : run[table]["rows"]) EXPECT_EQ(row.size(), run[table]["columns"].size()) << table;
  }
  return run;
}

std::size_t column(const Json& table, std::string_view name) {
  for (std::size_t index = 0; index < table["columns"].size(); ++index)
    if (table["columns"][index]["name"] == name) return index;
  ADD_FAILURE() << "no column " << name;
  return 0;
}

TEST(RunJson, SaysWhatTheFactsSay) {
  const Facts facts = training({.cross_check = true});
  const Json run = exported(facts);
  EXPECT_EQ(run["schema"], "strata.run/1");
  EXPECT_EQ(run["measured"], true);
  EXPECT_EQ(run["window"]["first_step"], 1);
  EXPECT_EQ(run["peak"]["allocated_bytes"], facts.peak.allocated_bytes);
  EXPECT_EQ(run["checks"]["cross_check"]["holds"], true);
  EXPECT_EQ(run["checks"]["saved_tensors"]["holds"], true);
  ASSERT_EQ(run["categories"].size(), analysis::kCategories);
  EXPECT_EQ(run["categories"][5]["name"], "Gradient");
  EXPECT_EQ(run["categories"][5]["max_bytes"], facts.statistics[5].max);
  EXPECT_EQ(run["steps"]["rows"].size(), facts.steps.size());
  EXPECT_EQ(run["phases"]["rows"].size(), facts.phases.size());
  EXPECT_EQ(run["timeline"]["rows"].size(), facts.points.size());
}

TEST(RunJson, HasEveryBlockWithItsNames) {
  const Facts facts = training();
  const Json run = exported(facts);
  const Json& blocks = run["blocks"];
  ASSERT_EQ(blocks["rows"].size(), facts.blocks.size());
  const Json& weight = blocks["rows"][0];
  EXPECT_EQ(run["texts"][weight[column(blocks, "owner")].get<std::size_t>()], "layers.0.weight");
  EXPECT_EQ(run["categories"][weight[column(blocks, "category")].get<std::size_t>()]["name"], "Parameter");
  EXPECT_EQ(weight[column(blocks, "size")], 4096);
  EXPECT_TRUE(weight[column(blocks, "death")].is_null());
  const Json& phase = run["phases"]["rows"][weight[column(blocks, "phase")].get<std::size_t>()];
  EXPECT_EQ(phase[0], "setup");
}

TEST(RunJson, ItsSchemaRefusesWhatIsNone) {
  const Json good = exported(training());
  Json bad = good;
  bad["peak"].erase("by_op");
  EXPECT_FALSE(analysis::testing::violations(schema(), bad).empty());
  bad = good;
  bad["blocks"]["columns"][0].erase("unit");
  EXPECT_FALSE(analysis::testing::violations(schema(), bad).empty());
}

TEST(RunJson, HoldsAnyNameAndARunWithoutAnEvent) {
  const Facts hostile = report::testing::hostile_facts();
  EXPECT_EQ(exported(hostile)["texts"].size(), hostile.texts.size());
  exported(Facts());
}

TEST(RunJson, ComesInPieces) {
  testing::TextOutput output;
  std::uint64_t told = 0;
  const Facts facts = training({.steps = 400});
  write_json(facts, output, [&](std::uint64_t done, std::uint64_t total) {
    EXPECT_LE(done, total);
    ++told;
  });
  EXPECT_GT(output.text().size(), 2'000'000u);
  EXPECT_LT(output.largest_write(), 200'000u);
  EXPECT_GT(told, 2u);
}

}  // namespace
}  // namespace strata::exports
