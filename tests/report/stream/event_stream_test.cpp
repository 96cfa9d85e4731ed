// SPDX-License-Identifier: Apache-2.0
#include "host/report/stream/event_stream.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "tests/report/simulated_training.hpp"

namespace strata::report {
namespace {

using analysis::CategoryBytes;
using analysis::Facts;
using analysis::sum;

// The state after each event, by summation.
std::vector<CategoryBytes> states_of(const EventStream& stream) {
  std::vector<CategoryBytes> states;
  CategoryBytes now{};
  for (const StreamEvent& event : stream.events) {
    const StreamAllocation& allocation = stream.allocations.at(event.allocation);
    std::uint64_t& bytes = now[static_cast<std::size_t>(allocation.category)];
    bytes = event.frees ? bytes - allocation.bytes : bytes + allocation.bytes;
    states.push_back(now);
  }
  return states;
}

// Each allocation is made once, in the order of indices, and freed at most once, later.
void expect_sound(const EventStream& stream) {
  std::vector<int> frees(stream.allocations.size(), 0);
  std::uint32_t made = 0;
  for (std::size_t i = 0; i < stream.events.size(); ++i) {
    const StreamEvent& event = stream.events[i];
    if (i > 0) {
      ASSERT_GE(event.ns, stream.events[i - 1].ns);
      ASSERT_GE(event.sequence, stream.events[i - 1].sequence);
    }
    if (event.frees) {
      ASSERT_LT(event.allocation, made);
      ASSERT_EQ(++frees[event.allocation], 1);
    } else {
      ASSERT_EQ(event.allocation, made++);
    }
  }
  ASSERT_EQ(made, stream.allocations.size());
}

Facts random_facts(std::size_t blocks) {
  std::mt19937_64 random(3);
  Facts facts;
  facts.texts.emplace_back();
  std::vector<std::uint64_t> sequences(2 * blocks);
  for (std::uint64_t i = 0; i < sequences.size(); ++i) sequences[i] = i + 1;
  std::ranges::shuffle(sequences, random);
  for (std::size_t i = 0; i < blocks; ++i) {
    analysis::Block block;
    std::tie(block.birth_sequence, block.death_sequence) =
        std::minmax(sequences[2 * i], sequences[2 * i + 1]);
    if (i % 11 == 0) block.death_sequence = UINT64_MAX;
    block.birth_ns = static_cast<std::int64_t>(block.birth_sequence) * 10;
    if (i % 11 != 0) block.death_ns = static_cast<std::int64_t>(block.death_sequence) * 10;
    block.bytes = random() % 5000 + 1;
    block.category = static_cast<analysis::Category>(i % analysis::kCategories);
    facts.blocks.push_back(block);
  }
  std::ranges::sort(facts.blocks, {}, &analysis::Block::birth_sequence);
  return facts;
}

TEST(EventStream, HoldsEveryStateOfTheRun) {
  const auto facts = testing::simulate({.steps = 3, .first_active_step = 1, .layers = 2});
  const EventStream stream = event_stream(facts);
  expect_sound(stream);
  EXPECT_TRUE(stream.is_exact());
  const auto states = states_of(stream);
  ASSERT_EQ(states.size(), facts.points.size());
  for (std::size_t i = 0; i < states.size(); ++i) ASSERT_EQ(states[i], facts.points[i].bytes) << i;
}

TEST(EventStream, EndsABlockBeforeTheOneThatTakesItsPlace) {
  Facts facts;
  facts.blocks.resize(2);
  facts.blocks[0].bytes = facts.blocks[1].bytes = 8;
  facts.blocks[0].birth_sequence = 1;
  facts.blocks[0].death_sequence = facts.blocks[1].birth_sequence = 5;
  const EventStream stream = event_stream(facts);
  ASSERT_EQ(stream.events.size(), 3U);
  EXPECT_TRUE(stream.events[1].frees);
  EXPECT_FALSE(stream.events[2].frees);
}

TEST(EventStream, OfADamagedStoreEndsABlockThatDiesTooEarlyAtOnce) {
  Facts facts;
  facts.blocks.resize(2);
  facts.blocks[0].birth_sequence = 4;
  facts.blocks[0].death_sequence = 2;
  facts.blocks[1].birth_sequence = facts.blocks[1].death_sequence = 9;
  expect_sound(event_stream(facts));
}

TEST(EventStream, BeyondItsLimitIsExactAroundThePeakAndLosesNoColumnsLargestMoment) {
  const Facts facts = random_facts(2000);
  const EventStream whole = event_stream(facts);
  const auto real = states_of(whole);
  for (const std::uint64_t peak : {1U, 1700U, 3900U}) {
    Facts of_peak = facts;
    of_peak.peak.sequence = peak;
    const EventStream stream = event_stream(of_peak, {.events = 600, .joined_columns = 50});
    expect_sound(stream);
    EXPECT_EQ(stream.recorded_events, whole.events.size());
    EXPECT_EQ(stream.exact_end - stream.exact_begin, 600U);
    const auto shown = states_of(stream);
    EXPECT_EQ(shown.back(), real.back());

    const auto first = whole.state_before(stream.events[stream.exact_begin].sequence);
    for (std::size_t i = 0; i < 600; ++i)
      ASSERT_EQ(shown[stream.exact_begin + i], real[first + i]) << peak << ' ' << i;

    // Outside the exact part, the last state of each column (those with one sequence number) is a real one
    // and the column's largest, and no other state of it exceeds both its neighbours.
    std::map<std::uint64_t, CategoryBytes> columns;
    for (std::size_t i = 0; i < shown.size(); ++i) {
      if (i < stream.exact_begin || i >= stream.exact_end) columns[stream.events[i].sequence] = shown[i];
    }
    EXPECT_GE(columns.size(), 40U);
    const auto largest = *std::ranges::max_element(real, {}, [](const auto& state) { return sum(state); });
    std::uint64_t most = 0;
    for (const auto& state : shown) most = std::max(most, sum(state));
    EXPECT_EQ(most, sum(largest));
    for (const auto& [sequence, state] : columns)
      ASSERT_NE(std::ranges::find(real, state), real.end()) << sequence;
  }
}

TEST(EventStream, KeepsThePeaksStepWhereItFits) {
  auto facts = testing::simulate({.steps = 6, .first_active_step = 1, .layers = 2});
  const EventStream whole = event_stream(facts);
  const auto& step = *std::ranges::find(facts.steps, facts.peak.step, &analysis::StepFact::index);
  const std::size_t events = whole.state_after(step.end_sequence) - whole.state_before(step.begin_sequence);
  const EventStream stream = event_stream(facts, {.events = events + 10, .joined_columns = 20});
  EXPECT_LE(stream.events[stream.exact_begin].sequence,
            whole.events[whole.state_before(step.begin_sequence)].sequence);
  EXPECT_GE(stream.events[stream.exact_end - 1].sequence,
            whole.events[whole.state_after(step.end_sequence) - 1].sequence);
}

TEST(EventStream, OfAnEmptyRunIsEmpty) {
  EXPECT_TRUE(event_stream({}).events.empty());
}

}  // namespace
}  // namespace strata::report
