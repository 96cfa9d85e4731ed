// SPDX-License-Identifier: Apache-2.0
#include "host/report/terminal/layer_table.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "host/analysis/json/summary_parts.hpp"
#include "host/report/layer_rows.hpp"
#include "host/report/peak_context.hpp"
#include "host/report/terminal/tables.hpp"
#include "host/report/text.hpp"
#include "tests/report/facts_recorder.hpp"
#include "tests/report/hostile_facts.hpp"
#include "tests/report/simulated_training.hpp"

namespace strata::report {
namespace {

using analysis::Facts;
using analysis::LayerTree;

const Facts& training() {
  static const Facts facts = testing::simulate({});
  return facts;
}

void expect_golden_table(const std::string& name, const std::string& text) {
  const auto path = std::string(GOLDEN_FOLDER) + "/" + name;
  std::ifstream file(path, std::ios::binary);
  std::ostringstream wanted;
  wanted << file.rdbuf();
  EXPECT_EQ(wanted.str(), text) << "If the change is meant, put this into " << path;
}

TEST(LayerTable, OfATrainingRun) {
  expect_golden_table("layers_80.txt", layer_table(training(), {}, false, 80));
  expect_golden_table("layers_140.txt", layer_table(training(), {}, false, 140));
}

TEST(LayerTable, OfOneStepUnfoldedToADepth) {
  const auto facts = testing::simulate({.steps = 2, .first_active_step = 1, .layers = 2});
  expect_golden_table("layers_step_80.txt",
                      layer_table(facts, {.step = 0, .depth = 2, .unfold = true}, false, 80));
}

TEST(LargestLayers, HeadAColumnForModulesAlikeOnlyWhereARowStandsForSome) {
  const auto heads_each = [](std::uint64_t layers) {
    const auto facts = testing::simulate({.layers = layers});
    const std::string text =
        largest_layers("Where", layer_tree_at(facts, facts.peak), 4, TerminalStyle{false, 80});
    return text.substr(0, text.find('\n')).ends_with("each");
  };
  EXPECT_TRUE(heads_each(4));
  EXPECT_FALSE(heads_each(1));
}

TEST(LayerTable, KeepsToItsWidthWhateverTheNames) {
  for (const int width : {80, 97, 130, 200}) {
    for (const auto& facts : {testing::hostile_facts(), training(), Facts{}}) {
      for (const bool unfold : {false, true}) {
        std::istringstream text(
            layer_table(facts, {.step = {}, .depth = {}, .unfold = unfold}, false, width) +
            step_table(facts, false, width));
        for (std::string line; std::getline(text, line);) {
          EXPECT_LE(columns(line), width) << line;
          EXPECT_EQ(printable(line), line);
          EXPECT_FALSE(line.ends_with(' ')) << line;
        }
      }
    }
  }
}

// The leftmost rows add up to the total, and the children of each row to the row.
TEST(LayerRows, AddUp) {
  for (const auto& facts : {training(), testing::hostile_facts()}) {
    const LayerTree folded = folded_layer_tree(facts, facts.peak.sequence, facts.layers.interval);
    for (const LayerTree& tree : {facts.layers, folded}) {
      for (const auto& rows : {all_layer_rows(tree, 99), largest_layer_rows(tree, 14)}) {
        std::uint64_t left = 0;
        for (std::size_t index = 0; index < rows.size(); ++index) {
          if (rows[index].depth == 0) left += rows[index].bytes;
          std::uint64_t below = 0;
          bool has_below = false;
          for (std::size_t next = index + 1; next < rows.size() && rows[next].depth > rows[index].depth;
               ++next) {
            if (rows[next].depth != rows[index].depth + 1) continue;
            below += rows[next].bytes;
            has_below = true;
          }
          if (has_below) {
            EXPECT_EQ(below, rows[index].bytes) << rows[index].label;
          }
        }
        EXPECT_EQ(left, facts.peak.allocated_bytes);
      }
    }
  }
}

TEST(LayerRows, AreFewInTheReport) {
  const LayerTree tree = folded_layer_tree(training(), training().peak.sequence, training().layers.interval);
  EXPECT_LE(largest_layer_rows(tree, 14).size(), 14u);
  EXPECT_TRUE(largest_layer_rows(LayerTree{}, 14).empty());
}

TEST(StepTable, OfATrainingRun) {
  expect_golden_table("steps_80.txt", step_table(training(), false, 80));
}

TEST(LayersDocument, HoldsEveryNodeOrThoseOfADepth) {
  using nlohmann::json;
  const auto& tree = training().layers;
  const json all = json::parse(layers_document(training(), tree, {}));
  EXPECT_EQ(all["schema"], "strata.layers/1");
  EXPECT_EQ(all["step"], training().peak.step);
  EXPECT_EQ(all["phase"], training().peak.phase);
  ASSERT_EQ(all["layers"].size(), tree.nodes.size());
  EXPECT_EQ(all["layers"][0]["bytes"], training().peak.allocated_bytes);
  EXPECT_EQ(all["layers"][0]["path"], "");
  const json top = json::parse(layers_document(training(), tree, 1));
  for (const json& node : top["layers"]) EXPECT_LE(node["depth"], 1);
}

std::string joined(const std::vector<std::string>& sentences) {
  std::string text;
  for (const auto& sentence : sentences) text += sentence + "\n";
  return text;
}

TEST(PlaceSentences, SayWhatLoweringThePeakBuys) {
  EXPECT_EQ(joined(place_sentences(Facts{})), "");
  Facts facts;
  facts.texts = {"", "aten::sqrt", "layers.0"};
  facts.peak.allocated_bytes = 1000U << 20U;
  EXPECT_EQ(joined(place_sentences(facts)), "no other high place in the step\n");
  auto& next = facts.peak_context.next_place.emplace();
  next.allocated_bytes = 900U << 20U;
  next.sequence = 5;
  next.phase = "optimizer";
  next.op = 1;
  next.layer = 2;
  EXPECT_EQ(
      joined(place_sentences(facts)),
      "lowering this peak alone buys at most 100.0 MiB: the second-highest peak is 900.0 MiB, aten::sqrt "
      "of layers.0, in optimizer; what lowers both buys more\n");
  facts.peak_context.part_of_step = "backward";
  facts.peak_context.outside_phase = next;
  EXPECT_EQ(place_sentences(facts).size(), 1u) << "the same moment is told once";
  facts.peak_context.outside_phase->sequence = 7;
  EXPECT_EQ(place_sentences(facts).size(), 1u) << "nor is one as high told beside it";
  facts.peak_context.outside_phase->allocated_bytes = 950U << 20U;
  facts.peak_context.outside_phase->phase = "";
  facts.peak_context.outside_phase->op = 0;
  EXPECT_EQ(
      place_sentences(facts).back(),
      "outside of backward the way down from this peak is still at 950.0 MiB, 50.0 MiB lower, layers.0, "
      "between phases");
  facts.peak.sequence = 9;
  EXPECT_TRUE(
      place_sentences(facts).back().starts_with("outside of backward the way up to this peak comes to 950"));
  facts.peak_context.outside_phase->allocated_bytes = 850U << 20U;
  EXPECT_TRUE(place_sentences(facts).back().starts_with("outside of backward the highest is 850"));
  next.allocated_bytes = facts.peak.allocated_bytes;
  EXPECT_EQ(place_sentences(facts).front(),
            "lowering this peak alone buys nothing: another place is as high, aten::sqrt of layers.0, in "
            "optimizer; what lowers both does");
  facts.peak.phase = next.phase;
  // The place is in the first of two backwards, the peak in the second.
  for (const std::uint64_t begin : {4U, 8U}) {
    auto& phase = facts.phases.emplace_back();
    phase.begin_sequence = begin;
    phase.end_sequence = begin + 3;
  }
  EXPECT_TRUE(place_sentences(facts).front().ends_with("in optimizer; what lowers both does"))
      << "no micro-batch is another";
  facts.phases.back().micro_batch = 1;
  EXPECT_EQ(place_sentences(facts).front(),
            "lowering this peak alone buys nothing: another place is as high, aten::sqrt of layers.0, in "
            "optimizer, as in another micro-batch; what lowers both does");
}

}  // namespace
}  // namespace strata::report
