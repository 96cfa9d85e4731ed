// SPDX-License-Identifier: Apache-2.0
#include "host/export/snapshot/memory_viz.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "tests/export/limited_unpickler.hpp"
#include "tests/export/text_output.hpp"
#include "tests/export/training.hpp"
#include "tests/report/hostile_facts.hpp"

namespace strata::exports {
namespace {

using analysis::Facts;
using testing::training;
using Json = nlohmann::json;

Json snapshot_of(const Facts& facts) {
  return testing::unpickle(testing::text_of(write_memory_viz, facts));
}

std::vector<Json> entries(const Json& snapshot, std::string_view action) {
  std::vector<Json> found;
  for (const Json& entry : snapshot["device_traces"].back())
    if (entry["action"] == action) found.push_back(entry);
  return found;
}

// The bytes of each category after each event, as memory_viz stacks them; checks that each free has its
// allocation.
std::vector<std::map<std::string, std::uint64_t>> replayed(const Json& trace) {
  std::vector<std::map<std::string, std::uint64_t>> levels;
  std::map<std::string, std::uint64_t> level;
  std::map<std::uint64_t, Json> alive;
  for (const Json& entry : trace) {
    const auto address = entry["addr"].get<std::uint64_t>();
    if (entry["action"] == "alloc") {
      EXPECT_TRUE(alive.emplace(address, entry).second);
      level[entry["category"]] += entry["size"].get<std::uint64_t>();
    } else if (entry["action"] == "free_completed") {
      const Json& allocation = alive.at(address);
      EXPECT_EQ(allocation["size"], entry["size"]);
      level[allocation["category"]] -= entry["size"].get<std::uint64_t>();
      alive.erase(address);
    } else {
      continue;
    }
    levels.push_back(level);
  }
  return levels;
}

TEST(MemoryViz, StacksWhatTheTimelineSays) {
  const Facts facts = training();
  const Json snapshot = snapshot_of(facts);
  ASSERT_EQ(snapshot["device_traces"].size(), 1u);
  const auto levels = replayed(snapshot["device_traces"][0]);
  ASSERT_EQ(levels.size(), facts.points.size());
  const std::vector<std::string> names = {"parameter",  "optimizer_state", "input",           "temporary",
                                          "activation", "gradient",        "autograd_detail", "unknown"};
  for (std::size_t event = 0; event < levels.size(); ++event) {
    for (std::size_t category = 0; category < names.size(); ++category) {
      const auto found = levels[event].find(names[category]);
      ASSERT_EQ(found == levels[event].end() ? 0 : found->second, facts.points[event].bytes[category])
          << names[category] << " after event " << event;
    }
  }
}

TEST(MemoryViz, NamesEveryCategoryFirst) {
  const Json snapshot = snapshot_of(training());
  std::vector<std::string> order;
  for (const Json& entry : snapshot["device_traces"][0]) {
    if (!entry.contains("category")) continue;
    const std::string category = entry["category"];
    if (std::ranges::find(order, category) == order.end()) order.push_back(category);
  }
  EXPECT_EQ(order, (std::vector<std::string>{"parameter", "optimizer_state", "input", "temporary",
                                             "activation", "gradient", "autograd_detail", "unknown"}));
}

TEST(MemoryViz, SaysWhoMadeABlockAndWhatItIs) {
  const Facts facts = training();
  const std::vector<Json> allocations = entries(snapshot_of(facts), "alloc");
  ASSERT_EQ(allocations.size(), facts.blocks.size());
  const Json& weight = allocations.front();
  EXPECT_EQ(weight["frames"][0], Json({{"filename", "op"}, {"line", 0}, {"name", "aten::empty"}}));
  EXPECT_EQ(weight["frames"].back(), Json({{"filename", "phase"}, {"line", 0}, {"name", "setup"}}));
  EXPECT_EQ(weight["user_metadata"],
            "owner: layers.0.weight\nkind: parameter\nwhy: registered as a parameter\nkept by: layers.0");
  const Json module = {{"filename", "module"}, {"line", 0}, {"name", "layers.1"}};
  EXPECT_TRUE(std::ranges::any_of(allocations, [&](const Json& allocation) {
    return std::ranges::find(allocation["frames"], module) != allocation["frames"].end();
  }));
  for (const Json& allocation : allocations) EXPECT_FALSE(allocation["frames"].empty());
}

TEST(MemoryViz, SaysTheShapeAndDtypeThatWereRegistered) {
  Facts facts = training();
  facts.texts.insert(facts.texts.end(), {"float32", "16x64"});
  const auto text = static_cast<std::uint32_t>(facts.texts.size());
  facts.forms.push_back({text - 2, text - 1});
  facts.blocks[0].form = static_cast<std::uint32_t>(facts.forms.size() - 1);
  EXPECT_EQ(entries(snapshot_of(facts), "alloc").front()["user_metadata"],
            "owner: layers.0.weight\nshape: 16x64\ndtype: float32\nkind: parameter\n"
            "why: registered as a parameter\nkept by: layers.0");
}

TEST(MemoryViz, MarksStepsAndPhases) {
  const Facts facts = training();
  std::vector<std::string> open;
  std::set<std::string> seen;
  const Json snapshot = snapshot_of(facts);
  for (const Json& mark : snapshot["external_annotations"]) {
    const std::string name = mark["name"];
    seen.insert(name);
    if (mark["stage"] == "START") {
      open.push_back(name);
    } else {
      ASSERT_EQ(open.back(), name);
      open.pop_back();
    }
  }
  EXPECT_TRUE(open.empty());
  for (const char* name : {"setup", "step 0", "step 2", "forward", "backward", "optimizer"})
    EXPECT_TRUE(seen.contains(name)) << name;
}

TEST(MemoryViz, PutsACudaDeviceAtItsNumber) {
  Facts facts = training();
  facts.device = "cuda:2";
  analysis::ReservedPoint segment;
  segment.segment_address = facts.blocks.front().address;
  segment.change_bytes = 2 << 20;
  facts.reserved = {segment};
  const Json snapshot = snapshot_of(facts);
  ASSERT_EQ(snapshot["device_traces"].size(), 3u);
  EXPECT_TRUE(snapshot["device_traces"][0].empty());
  EXPECT_EQ(entries(snapshot, "segment_alloc").size(), 1u);
  EXPECT_EQ(snapshot["segments"][0]["device"], 2);
  EXPECT_EQ(snapshot["segments"][0]["address"], facts.blocks.front().address);
}

TEST(MemoryViz, SaysWhichRunItIs) {
  Facts facts = training();
  facts.name = "quickstart";
  EXPECT_EQ(snapshot_of(facts)["strata"], Json({{"run", "quickstart"}, {"device", "cpu"}, {"dry", ""}}));
  facts.dry.emplace().profile = "h100-80gb";
  EXPECT_EQ(snapshot_of(facts)["strata"]["dry"], "h100-80gb");
}

TEST(MemoryViz, FillsItsSegments) {
  const Json snapshot = snapshot_of(training());
  ASSERT_FALSE(snapshot["segments"].empty());
  std::uint64_t allocated = 0;
  for (const Json& segment : snapshot["segments"]) {
    std::uint64_t address = segment["address"];
    for (const Json& block : segment["blocks"]) {
      EXPECT_EQ(block["address"], address);
      address += block["size"].get<std::uint64_t>();
      if (block["state"] == "active_allocated") allocated += block["size"].get<std::uint64_t>();
    }
    EXPECT_EQ(address, segment["address"].get<std::uint64_t>() + segment["total_size"].get<std::uint64_t>());
  }
  const Facts facts = training();
  std::uint64_t at_end = 0;
  for (const std::uint64_t bytes : facts.points.back().bytes) at_end += bytes;
  EXPECT_EQ(allocated, at_end);
}

TEST(MemoryViz, HoldsAnyName) {
  const Facts facts = report::testing::hostile_facts();
  const std::vector<Json> allocations = entries(snapshot_of(facts), "alloc");
  EXPECT_EQ(allocations.size(), facts.blocks.size());
}

TEST(MemoryViz, HoldsARunWithoutAnEvent) {
  const Json snapshot = snapshot_of(Facts());
  EXPECT_EQ(snapshot["segments"], Json::array());
  EXPECT_EQ(entries(snapshot, "snapshot").size(), analysis::kCategories) << "the legend";
}

}  // namespace
}  // namespace strata::exports
