// SPDX-License-Identifier: Apache-2.0
// The lanes: their rows, the limit on their number, and the columns read back and compared with the facts.
#include "host/report/lanes/lanes.hpp"

#include <gtest/gtest.h>
#include <strata/ext/module.h>
#include <strata/ext/op.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <random>
#include <set>
#include <tuple>

#include "host/report/lanes/lane_columns.hpp"
#include "host/report/lanes/notes.hpp"
#include "host/report/page_data/page.hpp"
#include "tests/report/hostile_facts.hpp"
#include "tests/report/simulated_times.hpp"
#include "tests/report/simulated_training.hpp"

namespace strata::report {
namespace {

using analysis::Facts;
using analysis::OpSpan;

Facts timed_training(const testing::SimulatedTimes& times = {}) {
  Facts facts = testing::simulate({.steps = 4, .first_active_step = 1, .layers = 4});
  testing::add_times(facts, times);
  return facts;
}

std::vector<std::uint64_t> numbers(const LaneColumns& columns, std::string_view name) {
  const auto section = std::ranges::find(columns.sections, name, &EventColumns::Section::name);
  EXPECT_NE(section, columns.sections.end()) << name;
  std::vector<std::uint64_t> list;
  std::uint64_t number = 0;
  unsigned shift = 0;
  for (const char byte : section->bytes) {
    number |= (static_cast<std::uint64_t>(byte) & 0x7fU) << shift;
    shift += 7;
    if ((static_cast<unsigned>(byte) & 0x80U) != 0) continue;
    list.push_back(number);
    number = shift = 0;
  }
  return list;
}

std::vector<std::string> texts(const LaneColumns& columns) {
  const auto section = std::ranges::find(columns.sections, "span_texts", &EventColumns::Section::name);
  return nlohmann::json::parse(section->bytes).get<std::vector<std::string>>();
}

void expect_rows_without_overlaps(const Lanes& lanes) {
  for (const Lane& lane : lanes.lanes) {
    std::vector<std::int64_t> ends(lane.rows, INT64_MIN);
    for (const LaneInterval& interval : lane.intervals) {
      ASSERT_LT(interval.row, lane.rows);
      ASSERT_LE(ends[interval.row], interval.begin_ns) << lane.title;
      ASSERT_LE(interval.begin_ns, interval.end_ns);
      ends[interval.row] = interval.end_ns;
    }
  }
}

// The bytes of all blocks born in the operator or in a nested one, found by following parents.
std::uint64_t bytes_in(const Facts& facts, std::uint32_t op) {
  std::uint64_t bytes = 0;
  for (const analysis::Block& block : facts.blocks) {
    if (block.birth_op == 0) continue;
    for (std::uint32_t at = static_cast<std::uint32_t>(block.birth_op - 1); at != analysis::kNoRow;
         at = facts.time->spans[at].parent)
      if (at == op) bytes += block.bytes;
  }
  return bytes;
}

std::int64_t device_ns_of(const Facts& facts, std::uint32_t op) {
  std::int64_t ns = 0;
  for (std::size_t i = 0; i < facts.time->activities.size(); ++i)
    for (std::uint32_t at = facts.time->places[i].op; at != analysis::kNoRow;
         at = facts.time->spans[at].parent)
      if (at == op) ns += facts.time->activities[i].end_ns - facts.time->activities[i].begin_ns;
  return ns;
}

TEST(Lanes, AreRangesModulesOperatorsAndStreams) {
  const Lanes lanes = lanes_of(timed_training());
  std::vector<std::string> titles;
  for (const Lane& lane : lanes.lanes) titles.push_back(lane.title);
  EXPECT_EQ(titles, (std::vector<std::string>{
                        "Ranges: phases, and what the program named", "Modules, thread 100 (training)",
                        "Operators, thread 100 (training)", "Modules, thread 101 (autograd or other)",
                        "Operators, thread 101 (autograd or other)", "GPU 0, stream 7", "GPU 0, stream 8"}));
  EXPECT_EQ(lanes.left_out, 0U);
  EXPECT_EQ(lanes.lanes[2].rows, 3U);
  expect_rows_without_overlaps(lanes);
}

TEST(Lanes, NestWhatLiesWithinBelowWhatHoldsIt) {
  const Facts facts = timed_training({.operators = 900, .nesting = 5});
  const Lanes lanes = lanes_of(facts);
  for (const Lane& lane : lanes.lanes) {
    if (lane.kind != LaneKind::kOperators) continue;
    for (const LaneInterval& interval : lane.intervals) {
      std::uint32_t depth = 0;
      for (std::uint32_t at = facts.time->spans[interval.index].parent; at != analysis::kNoRow;
           at = facts.time->spans[at].parent)
        ++depth;
      ASSERT_EQ(interval.row, depth);
    }
  }
}

TEST(Lanes, HoldWhatTheStoreSaysToTheNanosecondAndTheByte) {
  const Facts facts = timed_training({.operators = 600});
  const Lanes lanes = lanes_of(facts);
  const LaneColumns columns = lane_columns(facts, lanes, facts.begin_ns);
  const auto begins = numbers(columns, "span_begins"), lengths = numbers(columns, "span_lengths");
  const auto called = numbers(columns, "span_called"), bytes = numbers(columns, "span_amounts");
  const auto device = numbers(columns, "span_device"), products = numbers(columns, "span_products");
  const auto askers = numbers(columns, "span_askers"), site_of = numbers(columns, "span_site_of");
  const auto sites = numbers(columns, "span_sites");
  const auto words = texts(columns);
  std::vector<std::uint32_t> op_of_number{0};
  for (const Lane& lane : lanes.lanes)
    for (const LaneInterval& interval : lane.intervals)
      op_of_number.push_back(lane.kind == LaneKind::kOperators ? interval.index : analysis::kNoRow);
  std::size_t at = 0, products_seen = 0, bytes_seen = 0;
  std::int64_t asker = 0;
  for (const Lane& lane : lanes.lanes) {
    std::int64_t ns = facts.begin_ns;
    for (const LaneInterval& interval : lane.intervals) {
      ns += static_cast<std::int64_t>(begins[at]);
      asker += askers[at] % 2 == 0 ? static_cast<std::int64_t>(askers[at] / 2)
                                   : -static_cast<std::int64_t>(askers[at] / 2) - 1;
      const std::uint64_t* const site = &sites.at(site_of[at] * 7);
      if (lane.kind == LaneKind::kOperators) {
        const OpSpan& op = facts.time->spans[interval.index];
        ASSERT_EQ(ns, op.begin_ns);
        ASSERT_EQ(static_cast<std::int64_t>(lengths[at]), op.length_ns());
        ASSERT_EQ(static_cast<std::int64_t>(lengths[at] - called[at]), op.self_ns);
        ASSERT_EQ(bytes[at], bytes_in(facts, interval.index));
        ASSERT_EQ(static_cast<std::int64_t>(device[at]), device_ns_of(facts, interval.index));
        ASSERT_EQ(words.at(site[2]), facts.texts[op.name]);
        ASSERT_EQ(words.at(site[4]), facts.texts[op.layer]);
        ASSERT_EQ(words.at(site[5]), facts.phases[op.phase].name);
        products_seen += products[at];
        bytes_seen += bytes[at];
        ASSERT_EQ(asker, 0);
      } else if (lane.kind == LaneKind::kStream) {
        const auto& activity = facts.time->activities[interval.index];
        ASSERT_EQ(ns, activity.begin_ns);
        ASSERT_EQ(static_cast<std::int64_t>(lengths[at]), activity.end_ns - activity.begin_ns);
        ASSERT_EQ(bytes[at], activity.bytes);
        const std::uint32_t op = facts.time->places[interval.index].op;
        ASSERT_EQ(asker == 0 ? analysis::kNoRow : op_of_number.at(static_cast<std::size_t>(asker)), op);
      }
      ++at;
    }
  }
  EXPECT_EQ(at, begins.size());
  EXPECT_EQ(products_seen, facts.time->product_rows.size()) << "one shape, so each refers to the first";
  EXPECT_GT(bytes_seen, 0U);
  ASSERT_EQ(columns.products.size(), 1U);
  EXPECT_EQ(columns.products[0].k, 32U);
}

TEST(Lanes, ChooseThoseAroundThePeakAndThenTheLongest) {
  const Facts facts = timed_training({.operators = 6000});
  const Lanes all = lanes_of(facts);
  const Lanes some = lanes_of(facts, {.intervals = 1000});
  ASSERT_GT(all.recorded, 5000U);
  EXPECT_EQ(some.recorded, all.recorded);
  EXPECT_EQ(some.recorded - some.left_out, 1000U);
  expect_rows_without_overlaps(some);
  std::set<std::tuple<std::size_t, std::uint32_t>> kept;
  for (std::size_t lane = 0; lane < some.lanes.size(); ++lane)
    for (const LaneInterval& interval : some.lanes[lane].intervals) kept.emplace(lane, interval.index);
  std::size_t near = 0, is_long = 0;
  for (std::size_t lane = 0; lane < all.lanes.size(); ++lane) {
    for (const LaneInterval& interval : all.lanes[lane].intervals) {
      const bool is_near = interval.end_ns > some.whole_begin_ns && interval.begin_ns < some.whole_end_ns;
      const bool has_length = interval.end_ns - interval.begin_ns >= some.least_ns;
      near += is_near;
      is_long += has_length;
      if (is_near || has_length) {
        ASSERT_TRUE(kept.contains({lane, interval.index}));
      }
    }
  }
  EXPECT_GT(near, 400U);
  EXPECT_GT(is_long, 20U);
  EXPECT_LT(some.whole_begin_ns, facts.peak.ns);
  const auto notes = lane_notes(facts, some);
  ASSERT_FALSE(notes.empty());
  EXPECT_NE(notes.back().find("1,000 are here"), std::string::npos) << notes.back();
}

TEST(Lanes, LeaveOutWhatLiesTooDeep) {
  const Lanes lanes = lanes_of(timed_training({.operators = 3000, .nesting = 40}), {.rows = 16});
  for (const Lane& lane : lanes.lanes) {
    EXPECT_LE(lane.rows, 16U);
    if (lane.kind == LaneKind::kOperators) {
      EXPECT_LT(lane.intervals.size(), lane.recorded);
    }
  }
  EXPECT_GT(lanes.left_out, 0U);
}

TEST(Lanes, FindModulesOfBackwardInItsNodes) {
  const Facts facts = timed_training({.device = false});
  std::vector<std::string> backward;
  std::int64_t end_ns = INT64_MIN;
  for (const auto& module : module_intervals(facts)) {
    if (module.direction != STRATA_MODULE_BACKWARD) continue;
    backward.push_back(facts.texts[module.path]);
    EXPECT_GE(module.begin_ns, end_ns);
    end_ns = module.end_ns;
  }
  const std::vector<std::string> one_step{"layers.3", "layers.2", "layers.1", "layers.0"};
  ASSERT_EQ(backward.size(), 12U);
  for (std::size_t i = 0; i < backward.size(); ++i) EXPECT_EQ(backward[i], one_step[i % 4]);
}

// An enclosing module may be as short as the modules inside it, and a gradient may be accumulated in
// between.
TEST(Lanes, FindTheModulesAroundThoseInBackwardsNodes) {
  Facts facts = timed_training({.device = false});
  const auto text = [&](const char* path) {
    facts.texts.emplace_back(path);
    return static_cast<std::uint32_t>(facts.texts.size() - 1);
  };
  facts.time->modules = {{0, 1, 100, text("layers.0"), STRATA_MODULE_FORWARD},
                         {0, 1, 100, text("layers.0.ffn"), STRATA_MODULE_FORWARD}};
  facts.time->spans.clear();
  for (std::int64_t i = 0; i < 3; ++i) {
    OpSpan node{.begin_ns = 100 + 10 * i, .end_ns = 105 + 10 * i};
    node.ordinal = static_cast<std::uint64_t>(i) + 1;
    node.thread = 100;
    node.kind = STRATA_OP_BACKWARD;
    node.layer = i == 1 ? 0 : facts.time->modules[1].path;
    facts.time->spans.push_back(node);
  }
  const auto modules = module_intervals(facts);
  ASSERT_EQ(modules.size(), 4U);
  for (const std::size_t i : {2U, 3U}) {
    EXPECT_EQ(modules[i].begin_ns, 100);
    EXPECT_EQ(modules[i].end_ns, 125);
    EXPECT_EQ(facts.texts[modules[i].path], i == 2 ? "layers.0" : "layers.0.ffn");
  }
}

TEST(Lanes, KeepTheModulesOfBackwardThatWereTold) {
  Facts facts = timed_training({.device = false});
  analysis::ModuleSpan told = facts.time->modules.front();
  told.direction = STRATA_MODULE_BACKWARD;
  facts.time->modules.push_back(told);
  EXPECT_EQ(module_intervals(facts).size(), facts.time->modules.size());
}

TEST(Lanes, RangesThatTheProgramNamedStandWithThePhases) {
  Facts facts = timed_training();
  for (OpSpan& op : facts.time->spans)
    if (op.parent == analysis::kNoRow) op.kind = STRATA_OP_USER;
  const Lanes lanes = lanes_of(facts);
  EXPECT_EQ(lanes.lanes[0].rows, 2U);
  EXPECT_GT(lanes.lanes[0].intervals.size(), facts.phases.size());
}

// First-fit rows, compared with a plain definition: a row is free for an interval if no earlier interval in
// it is open.
TEST(Lanes, PlaceEachIntervalInTheFirstFreeRow) {
  std::mt19937 random(7);
  for (int round = 0; round < 50; ++round) {
    std::vector<LaneInterval> intervals;
    for (std::uint32_t i = 0; i < 60; ++i) {
      const auto begin = static_cast<std::int64_t>(random() % 100);
      intervals.push_back({begin, begin + static_cast<std::int64_t>(random() % 20), i});
    }
    std::ranges::stable_sort(intervals, {}, [](const LaneInterval& interval) {
      return std::pair(interval.begin_ns, -interval.end_ns);
    });
    auto placed = intervals;
    const std::uint32_t rows = place_in_rows(placed, 5);
    EXPECT_LE(rows, 5U);
    for (std::size_t i = 0; i < placed.size(); ++i) {
      std::set<std::uint32_t> taken;
      for (std::size_t before = 0; before < i; ++before)
        if (placed[before].end_ns > placed[i].begin_ns) taken.insert(placed[before].row);
      std::uint32_t first = 0;
      while (taken.contains(first)) ++first;
      ASSERT_EQ(placed[i].row, first);
    }
  }
}

TEST(Lanes, SayWhyThereAreNoKernels) {
  Facts facts = timed_training({.device = false});
  const auto says = [&](std::string_view part) {
    for (const std::string& note : lane_notes(facts, lanes_of(facts)))
      if (note.find(part) != std::string::npos) return true;
    return false;
  };
  EXPECT_TRUE(says("No kernels: the run computed on the CPU."));
  facts.time->host_computes = false;
  EXPECT_TRUE(says("No kernels: the run did not have the source cupti"));
  facts.plugins.push_back({"cupti", "failed", "the dry GPU has no clock"});
  EXPECT_TRUE(says("No kernels: the dry GPU has no clock."));
  analysis::Capture capture;
  capture.reason = "somebody else has CUPTI";
  facts.time->captures = {capture};
  EXPECT_TRUE(says("No kernels: somebody else has CUPTI."));
  facts.time.reset();
  EXPECT_TRUE(says("did not have the plugin cupti_timeline"));
  facts.plugins.push_back({"cupti_timeline", "disabled", "a reason"});
  EXPECT_TRUE(says("cupti_timeline recorded nothing: a reason."));
}

TEST(Lanes, QuoteTheDirectoryForAShell) {
  Facts facts;
  facts.directory = "runs/a-b_c/20260314";
  EXPECT_EQ(trace_command(facts), "strata export runs/a-b_c/20260314 --format chrome --out trace.json.gz");
  facts.directory = "it's $(here)";
  EXPECT_EQ(trace_command(facts), "strata export 'it'\\''s $(here)' --format chrome --out trace.json.gz");
}

TEST(Lanes, OfHostileNamesArePrintableAndShort) {
  for (const std::string& name : testing::hostile_names()) {
    const Facts facts = timed_training({.operators = 60, .kernel_name = name});
    const LaneColumns columns = lane_columns(facts, lanes_of(facts), facts.begin_ns);
    for (const std::string& text : texts(columns)) EXPECT_LE(text.size(), 400U);
  }
}

TEST(Lanes, OfAnEmptyRunAreNone) {
  const Facts facts;
  const Lanes lanes = lanes_of(facts);
  EXPECT_TRUE(lanes.lanes.empty());
  EXPECT_TRUE(numbers(lane_columns(facts, lanes, 0), "span_begins").empty());
}

// A window of many operators adds no more to a page than its limit on intervals allows.
TEST(Lanes, AddLittleToAPageHoweverManyOperatorsThereAre) {
  Facts facts = testing::simulate({.steps = 12, .first_active_step = 2, .layers = 12});
  const std::size_t without = page(facts).size();
  testing::add_times(facts, {.operators = 400'000});
  ASSERT_GT(lanes_of(facts).recorded, 400'000U);
  EXPECT_LT(page(facts).size() - without, 1'400'000U);
}

}  // namespace
}  // namespace strata::report
