// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/summary.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "host/analysis/analyse.hpp"
#include "tests/analysis/json_schema.hpp"
#include "tests/analysis/odd_run.hpp"
#include "tests/analysis/training_run.hpp"

namespace strata::analysis {
namespace {

using Json = nlohmann::json;

const Json& schema() {
  static const Json json = Json::parse(std::ifstream(STRATA_SUMMARY_SCHEMA));
  return json;
}

Json summary_of(const Facts& facts) {
  return Json::parse(summary_json(facts, [](const Finding& finding) { return finding.module + '.'; },
                                  {"a limit of the recording"}));
}

TEST(Summary, SaysWhatTheFactsSay) {
  Facts facts = analyse(testing::make_training_run().recording);
  facts.plugins = {{"torch", "ok", ""}, {"allocator_tracer", "failed", "no store"}};
  const Json summary = summary_of(facts);

  EXPECT_EQ(summary["schema"], "strata.summary/2");
  EXPECT_EQ(summary["measured"], true);
  EXPECT_TRUE(summary["dry"].is_null());
  EXPECT_EQ(summary["window"], Json({{"first_step", 1}, {"last_step", 2}}));
  EXPECT_EQ(summary["device"], "cpu");
  EXPECT_EQ(summary["warnings"], Json({"a limit of the recording"}));
  ASSERT_EQ(summary["steps"].size(), 3u);
  EXPECT_EQ(summary["steps"][1]["index"], 1);
  EXPECT_EQ(summary["steps"][1]["duration_ns"], facts.steps[1].end_ns - facts.steps[1].begin_ns);
  EXPECT_EQ(summary["steps"][1]["peak_allocated_bytes"], facts.steps[1].peak_allocated_bytes);
  EXPECT_EQ(summary["peak"]["allocated_bytes"], facts.peak.allocated_bytes);
  EXPECT_EQ(summary["peak"]["step"], facts.peak.step);
  EXPECT_EQ(summary["peak"]["phase"], facts.peak.phase);
  std::uint64_t sum = 0;
  for (const auto& [name, bytes] : summary["peak"]["categories"].items()) sum += bytes.get<std::uint64_t>();
  EXPECT_EQ(sum, facts.peak.allocated_bytes);
  const auto& gradient = facts.statistics[static_cast<std::size_t>(Category::kGradient)];
  EXPECT_GT(gradient.max, 0u);
  EXPECT_EQ(summary["categories"]["Gradient"]["max"], gradient.max);
  EXPECT_EQ(summary["categories"]["Gradient"]["median"], gradient.median);
  EXPECT_EQ(summary["categories"]["Gradient"]["mean"], gradient.mean_over_events);
  EXPECT_EQ(summary["plugins"][1],
            Json({{"id", "allocator_tracer"}, {"status", "failed"}, {"reason", "no store"}}));
}

TEST(Summary, SaysWhatStepsCountAndHowManyASecond) {
  Facts facts = analyse(testing::make_training_run().recording);
  ASSERT_TRUE(facts.pace.tokens_per_second.has_value());
  EXPECT_EQ(summary_of(facts)["throughput"],
            Json({{"unit", "tokens"}, {"per_second", *facts.pace.tokens_per_second}}));
  facts.unit = "images";
  EXPECT_EQ(summary_of(facts)["throughput"]["unit"], "images");
  facts.dry.emplace();
  EXPECT_TRUE(summary_of(facts)["throughput"]["per_second"].is_null());
  EXPECT_TRUE(summary_of(Facts{})["throughput"]["per_second"].is_null());
}

TEST(Summary, HasTheFirstAndTheLastLoss) {
  Facts facts = analyse(testing::make_training_run().recording);
  ASSERT_GE(facts.steps.size(), 2U);
  facts.steps.front().loss = 2.5;
  facts.steps.back().loss = 1.25;
  EXPECT_EQ(summary_of(facts)["loss"], Json({{"first", 2.5}, {"last", 1.25}}));
  facts.dry.emplace();
  EXPECT_TRUE(summary_of(facts)["loss"]["last"].is_null());
  EXPECT_TRUE(summary_of(Facts{})["loss"]["first"].is_null());
}

TEST(Summary, HasNoDurationOfAStepThatWasCutShort) {
  Facts facts = analyse(testing::make_training_run().recording);
  facts.steps.back().complete = false;
  const Json summary = summary_of(facts);
  EXPECT_TRUE(summary["steps"].back()["duration_ns"].is_null());
  EXPECT_TRUE(summary["steps"][0]["duration_ns"].is_number());
}

TEST(Summary, SaysWhatTheChecksFound) {
  Recording run = testing::make_training_run({.cross_check = true}).recording;
  run.reports.clear();
  const Facts facts = analyse(run);
  const Json checks = summary_of(facts)["checks"];
  EXPECT_EQ(checks["cross_check"]["events"], run.memory.size());
  EXPECT_EQ(checks["cross_check"]["events_compared"], 0);
  EXPECT_EQ(checks["saved_tensors"]["blocks_compared"], facts.truth->compared_blocks);
  EXPECT_GT(facts.truth->compared_blocks, 0u);
  EXPECT_EQ(checks["saved_tensors"]["disagreements"], Json::array());
}

TEST(Summary, SaysOfEachStepWhereItsPeakIsAndWhatChanged) {
  const Facts facts = analyse(testing::make_training_run().recording);
  const Json summary = summary_of(facts);
  for (std::size_t index = 0; index < facts.steps.size(); ++index) {
    const StepFact& step = facts.steps[index];
    const Json& json = summary["steps"][index];
    EXPECT_EQ(json["peak_phase"], facts.phases.at(step.peak_phase - 1).name);
    std::uint64_t bytes = 0;
    std::int64_t change = 0;
    for (const auto& [name, value] : json["peak_categories"].items()) bytes += value.get<std::uint64_t>();
    for (const auto& [name, value] : json["peak_change"].items()) change += value.get<std::int64_t>();
    EXPECT_EQ(bytes, step.peak_allocated_bytes);
    EXPECT_EQ(static_cast<std::int64_t>(bytes) - change,
              static_cast<std::int64_t>(sum(step.begin_categories)));
  }
}

TEST(Summary, SaysWhatLoweringThePeakBuys) {
  const Facts facts = analyse(testing::make_training_run().recording);
  const Json peak = summary_of(facts)["peak"];
  ASSERT_TRUE(facts.peak_context.next_place.has_value());
  EXPECT_EQ(peak["next_place"]["lower_bytes"],
            facts.peak.allocated_bytes - facts.peak_context.next_place->allocated_bytes);
  EXPECT_EQ(peak["since_begin"]["kinds"].size(), facts.peak_context.changes.size());
  EXPECT_EQ(peak["part_of_step"], facts.peak_context.part_of_step);
  EXPECT_TRUE(summary_of(Facts{})["peak"]["next_place"].is_null());
}

TEST(Summary, ListsWhatIsLabelledUnlikeAutograd) {
  const Json check = summary_of(analyse(testing::make_retained_run().recording))["checks"]["saved_tensors"];
  ASSERT_EQ(check["disagreements"].size(), 3u);
  EXPECT_EQ(check["disagreements"][2], Json::parse(R"({
    "truth": {"category": "Activation", "kind": "retained"},
    "lifetimes": {"category": "Activation", "kind": "forward_residue"},
    "op": "", "blocks": 1, "bytes": 1000, "first_layer": ""})"));
  std::uint64_t bytes = 0;
  for (const Json& one : check["disagreements"]) bytes += one["bytes"].get<std::uint64_t>();
  EXPECT_EQ(check["bytes_labelled_differently"], bytes);
}

TEST(Summary, ObeysItsSchema) {
  Facts whole = analyse(testing::make_training_run({.cross_check = true}).recording);
  whole.plugins = {{"torch", "ok", ""}};
  whole.places = {{{0, 0}, 5, 1, 8}, {{0xabc, 1}, 3, 1, std::nullopt}};
  OutOfMemory failure;
  failure.findings = {{.kind = FindingKind::kUnusedGraph, .bytes = 7, .module = "teacher"},
                      {.kind = FindingKind::kDeferredFrees, .bytes = 5}};
  whole.out_of_memory.push_back(failure);
  whole.dry.emplace().memory_is_given = true;
  EXPECT_EQ(summary_of(whole)["dry"]["memory_given"], true);
  EXPECT_EQ(summary_of(whole)["out_of_memory"].back()["findings"],
            Json::parse(R"([{"kind": "unused_graph", "bytes": 7, "text": "teacher.", "module": "teacher"},
                      {"kind": "deferred_frees", "bytes": 5, "text": ".", "module": null}])"));
  EXPECT_EQ(summary_of(whole)["places"][1], (Json{{"stream", "0xabc"},
                                                  {"pool", "0x1"},
                                                  {"allocated_bytes", 3},
                                                  {"blocks", 1},
                                                  {"reserved_bytes", nullptr}}));
  for (const Facts& facts :
       {whole, analyse(testing::make_odd_run().recording), analyse(testing::make_retained_run().recording),
        analyse(testing::make_cut_short_run().recording), Facts{}}) {
    EXPECT_EQ(testing::violations(schema(), summary_of(facts)), std::vector<std::string>());
  }
}

TEST(Summary, ItsSchemaRefusesWhatIsNone) {
  const Json good = summary_of(analyse(testing::make_training_run().recording));
  const auto refused = [&](const Json::json_pointer& place, const Json& value) {
    Json bad = good;
    bad[place] = value;
    return !testing::violations(schema(), bad).empty();
  };
  EXPECT_TRUE(refused("/schema"_json_pointer, "strata.summary/1"));
  EXPECT_TRUE(refused("/peak/allocated_bytes"_json_pointer, -1));
  EXPECT_TRUE(refused("/peak/categories/Unknown"_json_pointer, "0"));
  EXPECT_TRUE(refused("/categories/Gradient/mean"_json_pointer, nullptr));
  EXPECT_TRUE(refused("/steps/0/duration"_json_pointer, 5));
  EXPECT_TRUE(refused("/throughput/unit"_json_pointer, nullptr));
  EXPECT_TRUE(
      refused("/plugins"_json_pointer, Json::array({{{"id", "x"}, {"status", "odd"}, {"reason", ""}}})));
  for (const char* key :
       {"schema", "measured", "dry", "window", "device", "steps", "peak", "categories", "plugins"}) {
    Json bad = good;
    bad.erase(key);
    EXPECT_FALSE(testing::violations(schema(), bad).empty()) << key;
  }
}

TEST(Summary, IsJsonWhateverANameHolds) {
  Facts facts;
  facts.peak.phase = "broken \xff text";
  facts.plugins = {{"\"quoted\"\n", "ok", ""}};
  EXPECT_EQ(testing::violations(schema(), summary_of(facts)), std::vector<std::string>());
}

}  // namespace
}  // namespace strata::analysis
