// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/memory/statistics.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <string_view>
#include <vector>

#include "host/analysis/analyse.hpp"
#include "host/analysis/facts/reason.hpp"
#include "host/analysis/memory/timeline.hpp"
#include "strata/ext/phase.h"
#include "strata/ext/step.h"
#include "strata/ext/tensor.h"
#include "tests/analysis/random_run.hpp"
#include "tests/analysis/run_builder.hpp"
#include "tests/analysis/training_run.hpp"

namespace strata::analysis {
namespace {

using testing::RunBuilder;

// The definitions of docs/summary.md, implemented directly.
CategoryStatistics by_definition(const Facts& facts, std::size_t first, std::size_t last,
                                 const std::function<std::uint64_t(const Point&)>& level) {
  CategoryStatistics result;
  std::vector<std::uint64_t> levels;
  for (std::size_t point = first; point < last; ++point) levels.push_back(level(facts.points[point]));
  const std::uint64_t initial = first > 0 ? level(facts.points[first - 1]) : 0;
  double area = 0.0;
  std::int64_t since_ns = facts.window_begin_ns;
  std::uint64_t bytes = initial;
  for (std::size_t point = first; point < last; ++point) {
    area += static_cast<double>(bytes) * static_cast<double>(facts.points[point].ns - since_ns);
    since_ns = facts.points[point].ns;
    bytes = levels[point - first];
  }
  area += static_cast<double>(bytes) * static_cast<double>(facts.window_end_ns - since_ns);
  result.mean_over_time = area / static_cast<double>(facts.window_end_ns - facts.window_begin_ns);
  if (levels.empty()) levels.push_back(initial);
  double sum = 0.0;
  for (const std::uint64_t one : levels) sum += static_cast<double>(one);
  result.mean_over_events = sum / static_cast<double>(levels.size());
  std::sort(levels.begin(), levels.end());
  result.min = std::min(levels.front(), initial);
  result.max = std::max(levels.back(), initial);
  result.median = (levels[(levels.size() - 1) / 2] + levels[levels.size() / 2]) / 2;
  return result;
}

void expect_equal(const CategoryStatistics& found, const CategoryStatistics& wanted, std::string_view what) {
  EXPECT_EQ(found.min, wanted.min) << what;
  EXPECT_EQ(found.median, wanted.median) << what;
  EXPECT_EQ(found.max, wanted.max) << what;
  EXPECT_NEAR(found.mean_over_events, wanted.mean_over_events, 1e-9 * (1.0 + wanted.mean_over_events))
      << what;
  EXPECT_NEAR(found.mean_over_time, wanted.mean_over_time, 1e-9 * (1.0 + wanted.mean_over_time)) << what;
}

void expect_statistics_by_definition(const Facts& facts) {
  const auto step = [&](std::int64_t index) {
    return std::find_if(facts.steps.begin(), facts.steps.end(),
                        [&](const StepFact& fact) { return fact.index == index; });
  };
  const PointRange window = points_within(facts.points, step(facts.first_step)->begin_sequence,
                                          step(facts.last_step)->end_sequence);
  for (std::size_t category = 0; category < kCategories; ++category) {
    expect_equal(facts.statistics[category],
                 by_definition(facts, window.first, window.last,
                               [&](const Point& point) { return point.bytes[category]; }),
                 to_string(static_cast<Category>(category)));
  }
  expect_equal(facts.total, by_definition(facts, window.first, window.last, allocated_bytes), "total");
}

TEST(Statistics, OfAWindowWorkedOutByHand) {
  RunBuilder run;
  run.allocate_at(0x1000, 100);
  run.tensor(STRATA_TENSOR_PARAMETER, "weight", 0x1000);
  run.step(0, STRATA_STEP_ACTIVE, [&] {  // begins at t
    run.allocate_at(0x2000, 10);         // t + 10
    run.wait(970);
    run.allocate_at(0x3000, 30);  // t + 990
    run.free(0x2000);             // t + 1000
    run.free(0x3000);             // t + 1010
  });                             // ends at t + 1020
  const Facts facts = analyse(run.finish());

  EXPECT_EQ(facts.window_end_ns - facts.window_begin_ns, 1020);
  // Levels after the events: 110, 140, 130, 100.
  EXPECT_EQ(facts.total.min, 100u);
  EXPECT_EQ(facts.total.median, 120u);
  EXPECT_EQ(facts.total.max, 140u);
  EXPECT_DOUBLE_EQ(facts.total.mean_over_events, 120.0);
  EXPECT_DOUBLE_EQ(facts.total.mean_over_time,
                   (100.0 * 10 + 110.0 * 980 + 140.0 * 10 + 130.0 * 10 + 100.0 * 10) / 1020.0);
  const CategoryStatistics& temporary = facts.statistics[static_cast<std::size_t>(Category::kTemporary)];
  EXPECT_EQ(temporary.min, 0u);
  EXPECT_EQ(temporary.median, 20u);
  EXPECT_EQ(temporary.max, 40u);
  EXPECT_EQ(facts.peak.allocated_bytes, 140u);
  EXPECT_EQ(facts.peak.step, 0);
}

TEST(Statistics, AWindowWithoutAnEventHasTheLevelItBeginsWith) {
  RunBuilder run;
  run.allocate_at(0x1000, 100);
  run.step(0, STRATA_STEP_ACTIVE, [&] { run.wait(100); });
  const Facts facts = analyse(run.finish());
  EXPECT_EQ(facts.total.min, 100u);
  EXPECT_EQ(facts.total.median, 100u);
  EXPECT_EQ(facts.total.max, 100u);
  EXPECT_DOUBLE_EQ(facts.total.mean_over_events, 100.0);
  EXPECT_DOUBLE_EQ(facts.total.mean_over_time, 100.0);
  EXPECT_EQ(facts.peak.allocated_bytes, 100u);
  EXPECT_EQ(facts.steps[0].peak_allocated_bytes, 100u);
}

TEST(Statistics, OfATrainingRunAreThoseOfTheDefinition) {
  expect_statistics_by_definition(analyse(testing::make_training_run().recording));
}

// A step that begins at its highest moment: the blocks alive then were born earlier.
TEST(Statistics, ThePeakThatTheWindowBeginsWithIsAtItsBegin) {
  RunBuilder run;
  std::uint64_t high = 0;
  run.step(0, STRATA_STEP_WARMUP,
           [&] { run.phase(STRATA_PHASE_OTHER, "before", [&] { high = run.allocate(1000); }); });
  run.step(1, STRATA_STEP_ACTIVE, [&] {
    run.phase(STRATA_PHASE_OTHER, "within", [&] {
      run.free(high);
      run.free(run.allocate(10));
    });
  });
  Recording recording = run.finish();
  recording.first_step = recording.last_step = 1;
  const Facts facts = analyse(recording);
  EXPECT_EQ(facts.peak.allocated_bytes, 1000u);
  EXPECT_EQ(facts.peak.step, 1);
  EXPECT_EQ(facts.peak.phase, "");
  EXPECT_EQ(facts.peak.sequence, facts.steps[1].begin_sequence);
  EXPECT_EQ(facts.peak.ns, facts.window_begin_ns);
  EXPECT_EQ(facts.peak.largest_blocks.size(), 1u);
  EXPECT_EQ(facts.total.max, facts.peak.allocated_bytes);
  EXPECT_EQ(facts.total.min, 0u);
  EXPECT_EQ(facts.total.median, 0u);  // of 0, 10, 0: the window's events
  EXPECT_EQ(facts.steps[1].peak_allocated_bytes, 1000u);
}

TEST(Statistics, PropertiesOfRandomRuns) {
  for (std::uint32_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    const Recording recording = testing::random_run(seed);
    const Facts facts = analyse(recording);
    ASSERT_EQ(facts.points.size(), recording.memory.size());

    // Every block is in exactly one category: recomputing from the blocks alone must give every level.
    std::map<std::uint64_t, std::array<std::int64_t, kCategories>> changes;
    for (const Block& block : facts.blocks) {
      ASSERT_NE(block.reason, Reason::kNone);
      const auto category = static_cast<std::size_t>(block.category);
      changes[block.birth_sequence][category] += static_cast<std::int64_t>(block.bytes);
      if (block.death_sequence != UINT64_MAX)
        changes[block.death_sequence][category] -= static_cast<std::int64_t>(block.bytes);
    }
    std::array<std::int64_t, kCategories> levels{};
    std::uint64_t highest = 0;
    for (const Point& point : facts.points) {
      for (std::size_t category = 0; category < kCategories; ++category) {
        levels[category] += changes[point.sequence][category];
        ASSERT_EQ(static_cast<std::int64_t>(point.bytes[category]), levels[category]);
      }
      highest = std::max(highest, allocated_bytes(point));
    }
    EXPECT_LE(facts.peak.allocated_bytes, highest);
    EXPECT_EQ(facts.peak.allocated_bytes, facts.total.max);
    EXPECT_TRUE(facts.points.empty() || facts.peak.ns >= facts.window_begin_ns);
    expect_statistics_by_definition(facts);
  }
}

// Whenever the process dies, the remaining recording can be analysed.
TEST(Statistics, OfARunKilledAtAnyEvent) {
  const Recording whole = testing::make_training_run({.steps = 2}).recording;
  const std::uint64_t last = whole.memory.back().sequence;
  for (std::uint64_t sequence = 0; sequence <= last; ++sequence) {
    const Facts facts = analyse(testing::killed_after(whole, sequence));
    std::uint64_t alive = 0;
    for (const Block& block : facts.blocks) alive += block.death_sequence == UINT64_MAX ? block.bytes : 0;
    EXPECT_EQ(facts.points.empty() ? 0 : allocated_bytes(facts.points.back()), alive) << sequence;
    EXPECT_EQ(facts.end, RunEnd::kKilled);
  }
}

}  // namespace
}  // namespace strata::analysis
