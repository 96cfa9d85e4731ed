// SPDX-License-Identifier: Apache-2.0
#include "host/export/trace/chrome.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "host/analysis/analyse.hpp"
#include "host/export/trace/slices.hpp"
#include "tests/analysis/run_builder.hpp"
#include "tests/export/text_output.hpp"
#include "tests/export/training.hpp"
#include "tests/report/hostile_facts.hpp"

namespace strata::exports {
namespace {

using analysis::Facts;
using testing::training;
using Json = nlohmann::json;

// The events, after checking each against the format ("Trace Event Format").
Json events_of(const Facts& facts) {
  const Json trace = Json::parse(testing::text_of(write_chrome, facts));
  std::map<int, std::vector<double>> open_until;
  std::set<std::string> spans;
  for (const Json& event : trace["traceEvents"]) {
    for (const char* key : {"ph", "ts", "pid", "tid", "name"}) EXPECT_TRUE(event.contains(key)) << event;
    EXPECT_GE(event["ts"].get<double>(), 0.0);
    const std::string phase = event["ph"];
    if (phase == "X") {
      auto& open = open_until[event["tid"]];
      const double begin = event["ts"], end = begin + event["dur"].get<double>();
      while (!open.empty() && open.back() <= begin + 1e-6) open.pop_back();
      EXPECT_TRUE(open.empty() || end <= open.back() + 1e-6) << "does not nest: " << event;
      open.push_back(end);
    } else if (phase == "b") {
      EXPECT_TRUE(spans.insert(event["id"].dump()).second) << event;
    } else if (phase == "e") {
      EXPECT_EQ(spans.erase(event["id"].dump()), 1u) << event;
    } else if (phase == "C") {
      EXPECT_TRUE(event["args"]["bytes"].is_number_unsigned()) << event;
    } else if (phase == "i") {
      EXPECT_EQ(event["s"], "t");
    } else {
      EXPECT_EQ(phase, "M");
    }
  }
  EXPECT_TRUE(spans.empty());
  return trace["traceEvents"];
}

std::vector<std::string> names(const Json& events, const char* category) {
  std::vector<std::string> found;
  for (const Json& event : events)
    if (event["ph"] == "X" && event["cat"] == category) found.push_back(event["name"]);
  return found;
}

TEST(Chrome, CountsWhatTheTimelineSays) {
  const Facts facts = training();
  std::map<std::string, std::uint64_t> last, most;
  double before = 0;
  for (const Json& event : events_of(facts)) {
    if (event["ph"] != "C") continue;
    EXPECT_GE(event["ts"].get<double>(), before);
    before = event["ts"];
    auto& bytes = last[event["name"]] = event["args"]["bytes"];
    most[event["name"]] = std::max(most[event["name"]], bytes);
  }
  std::uint64_t all = 0;
  for (std::size_t category = 0; category < analysis::kCategories; ++category) {
    const char* name = to_string(static_cast<analysis::Category>(category));
    EXPECT_EQ(last.at(name), facts.points.back().bytes[category]) << name;
    all += last.at(name);
  }
  EXPECT_EQ(last.at("Allocated"), all);
  EXPECT_EQ(most.at("Allocated"), facts.peak.allocated_bytes);
  EXPECT_FALSE(last.contains("Reserved")) << "the CPU's allocator keeps nothing back";
}

TEST(Chrome, HasAReservedCounterWhereTheAllocatorCaches) {
  Facts facts = training();
  analysis::ReservedPoint point;
  point.bytes = 1 << 21;
  facts.reserved = {point};
  bool found = false;
  for (const Json& event : events_of(facts)) {
    if (event["ph"] == "C" && event["name"] == "Reserved" && event["args"]["bytes"] == 1 << 21) found = true;
  }
  EXPECT_TRUE(found);
}

TEST(Chrome, DrawsStepsMicroBatchesAndPhases) {
  const Json events = events_of(training({.micro_batches = 2}));
  EXPECT_EQ(names(events, "step"), (std::vector<std::string>{"step 0", "step 1", "step 2"}));
  EXPECT_EQ(names(events, "micro-batch"),
            (std::vector<std::string>{"micro-batch 0", "micro-batch 1", "micro-batch 0", "micro-batch 1",
                                      "micro-batch 0", "micro-batch 1"}));
  const std::vector<std::string> phases = names(events, "phase");
  EXPECT_EQ(std::ranges::count(phases, "backward"), 6);
  EXPECT_EQ(std::ranges::count(phases, "optimizer"), 3);
}

TEST(Chrome, ShowsTheLargestBlocks) {
  const Facts facts = training();
  const Json events = events_of(facts);
  std::uint64_t largest = 0, spans = 0;
  for (const Json& event : events) {
    if (event["ph"] == "i") largest = std::max(largest, event["args"]["bytes"].get<std::uint64_t>());
    if (event["ph"] == "b") ++spans;
  }
  EXPECT_EQ(largest, 4096u);
  EXPECT_EQ(spans, facts.peak.largest_blocks.size());
}

TEST(Chrome, NestsWhatADeadProcessLeftOpen) {
  const analysis::Recording whole = analysis::testing::make_training_run({.checkpointing = true}).recording;
  for (const std::uint64_t sequence : {40u, 97u, 150u, 203u})
    events_of(analysis::analyse(analysis::testing::killed_after(whole, sequence)));
}

TEST(Chrome, HoldsAnyNameAndARunWithoutAnEvent) {
  const Facts hostile = report::testing::hostile_facts();
  std::vector<std::string> phases = names(events_of(hostile), "phase");
  EXPECT_EQ(phases.size(), hostile.phases.size());
  EXPECT_EQ(phases.front(), hostile.phases.front().name);
  EXPECT_FALSE(events_of(Facts()).empty());
}

TEST(Slices, EndWithWhatHoldsThem) {
  Facts facts;
  facts.end_ns = 100;
  const auto phase = [&](std::int64_t begin, std::int64_t end) {
    analysis::PhaseFact phase;
    phase.begin_ns = begin;
    phase.end_ns = end;
    facts.phases.push_back(phase);
  };
  phase(0, 50);
  phase(10, INT64_MAX);
  phase(20, 70);
  phase(60, INT64_MAX);
  std::vector<std::pair<std::int64_t, std::int64_t>> found;
  for (const Slice& slice : phase_slices(facts)) found.emplace_back(slice.begin_ns, slice.end_ns);
  EXPECT_EQ(found, (decltype(found){{0, 50}, {10, 50}, {20, 50}, {60, 100}}));
}

}  // namespace
}  // namespace strata::exports
