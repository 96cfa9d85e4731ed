// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/peak/peak.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>

#include "host/analysis/analyse.hpp"
#include "host/analysis/memory/timeline.hpp"
#include "host/analysis/peak/high_points.hpp"
#include "strata/ext/phase.h"
#include "strata/ext/step.h"
#include "tests/analysis/random_run.hpp"
#include "tests/analysis/run_builder.hpp"
#include "tests/analysis/training_run.hpp"

namespace strata::analysis {
namespace {

using testing::RunBuilder;

std::vector<Point> points_of(const std::vector<std::uint64_t>& levels) {
  std::vector<Point> points;
  for (const std::uint64_t level : levels) {
    Point point;
    point.sequence = points.size() + 1;
    point.bytes.front() = level;
    points.push_back(point);
  }
  return points;
}

std::optional<HighPoint> next_place(const std::vector<std::uint64_t>& levels, std::uint64_t depth) {
  const std::vector<Point> points = points_of(levels);
  const auto peak = std::ranges::max_element(levels) - levels.begin();
  return next_highest_place(points, {0, points.size()}, static_cast<std::size_t>(peak), depth);
}

TEST(NextHighestPlace, LiesBehindAValley) {
  const auto place = next_place({10, 80, 100, 90, 60, 70, 20, 65}, 5);
  ASSERT_TRUE(place.has_value());
  EXPECT_EQ(place->point, 5u);
  EXPECT_EQ(place->valley_bytes, 60u);
}

TEST(NextHighestPlace, IsNoPartOfTheWayDown) {
  EXPECT_FALSE(next_place({10, 80, 100, 90, 60, 20}, 5).has_value());
  EXPECT_FALSE(next_place({10, 80, 79, 100, 90, 91, 20}, 5).has_value());  // notches
  EXPECT_FALSE(next_place({100}, 5).has_value());
}

TEST(NextHighestPlace, MayLieBeforeThePeakOrBeAsHigh) {
  EXPECT_EQ(next_place({99, 50, 100, 50, 98}, 5)->point, 0u);
  EXPECT_EQ(next_place({100, 95, 100}, 5)->point, 2u);
}

// A notch in the rise of the second hill does not split the hill.
TEST(NextHighestPlace, IsTheTopOfItsHill) {
  EXPECT_EQ(next_place({100, 10, 50, 48, 70, 69, 72, 30}, 5)->point, 6u);
}

TEST(HighestOutside, LeavesOutWhatIsExcluded) {
  const std::vector<Point> points = points_of({10, 80, 100, 90, 60, 70, 20, 65});
  const auto outside = highest_outside(points, {0, points.size()}, 2, {1, 4});
  EXPECT_EQ(outside->point, 5u);
  EXPECT_EQ(outside->valley_bytes, 60u);
  EXPECT_FALSE(highest_outside(points, {1, 4}, 2, {1, 4}).has_value());
}

// A step whose backward is highest; its optimizer is second, 300 bytes lower.
Facts two_hills() {
  RunBuilder run;
  std::uint64_t weight = 0;
  run.phase(STRATA_PHASE_SETUP, "setup", [&] { weight = run.allocate(1000); });
  run.step(0, STRATA_STEP_ACTIVE, [&] {
    std::uint64_t saved = 0;
    run.phase(STRATA_PHASE_FORWARD, "forward", [&] { saved = run.allocate(500); });
    run.phase(STRATA_PHASE_BACKWARD, "backward", [&] {
      run.phase(STRATA_PHASE_FORWARD, "recompute", [&] { run.free(run.allocate(600)); });
      run.free(saved);
    });
    run.phase(STRATA_PHASE_OPTIMIZER, "optimizer", [&] {
      run.module("layers.0", [&] { run.op("aten::sqrt", [&] { run.free(run.allocate(800)); }); });
      run.free(run.allocate(400));
    });
  });
  (void)weight;
  return analyse(run.finish());
}

TEST(PeakContext, SaysWhatLoweringThePeakBuys) {
  const Facts facts = two_hills();
  ASSERT_EQ(facts.peak.allocated_bytes, 2100u);
  ASSERT_EQ(facts.peak.phase, "recompute");
  const PeakContext& context = facts.peak_context;
  ASSERT_TRUE(context.next_place.has_value());
  EXPECT_EQ(context.next_place->allocated_bytes, 1800u);
  EXPECT_EQ(context.next_place->valley_bytes, 1000u);
  EXPECT_EQ(context.next_place->phase, "optimizer");
  EXPECT_EQ(facts.texts[context.next_place->op], "aten::sqrt");
  EXPECT_EQ(facts.texts[context.next_place->layer], "layers.0");
  EXPECT_EQ(context.part_of_step, "backward");
  ASSERT_TRUE(context.outside_phase.has_value());
  EXPECT_EQ(context.outside_phase->allocated_bytes, 1800u);
}

TEST(PeakContext, SaysWhatChangedSinceTheStepBegan) {
  const Facts facts = two_hills();
  EXPECT_EQ(sum(facts.peak_context.begin_categories), 1000u);
  ASSERT_EQ(facts.peak_context.changes.size(), 2u);
  EXPECT_EQ(facts.peak_context.changes[0].born_bytes, 600u);
  EXPECT_EQ(facts.peak_context.changes[1].born_bytes, 500u);
  EXPECT_EQ(facts.peak_context.changes[1].born_blocks, 1u);
}

TEST(PeakContext, OfAStepHasItsPhaseAndItsChange) {
  const Facts facts = two_hills();
  const StepFact& step = facts.steps.at(0);
  ASSERT_GT(step.peak_phase, 0u);
  EXPECT_EQ(facts.phases[step.peak_phase - 1].name, "recompute");
  EXPECT_EQ(sum(step.begin_categories), 1000u);
  EXPECT_EQ(sum(step.peak_categories), step.peak_allocated_bytes);
  EXPECT_EQ(step.peak_sequence, facts.peak.sequence);
}

// The definitions of docs/summary.md, implemented directly: every pair of moments.
void expect_places_by_definition(const Facts& facts) {
  const PeakContext& context = facts.peak_context;
  std::vector<Point> points;
  const RunInterval& interval = context.interval;
  for (const Point& point : facts.points) {
    if (point.sequence < interval.begin_sequence && !points.empty()) points.clear();
    if (point.sequence <= interval.end_sequence) points.push_back(point);
  }
  std::size_t peak = 0;
  for (std::size_t index = 0; index < points.size(); ++index)
    if (allocated_bytes(points[index]) > allocated_bytes(points[peak])) peak = index;
  ASSERT_EQ(points.empty() ? 0 : allocated_bytes(points[peak]), facts.peak.allocated_bytes);
  std::uint64_t highest = 0;
  bool found = false;
  for (std::size_t index = 0; index < points.size(); ++index) {
    const auto [low, high] = std::minmax(index, peak);
    std::uint64_t valley = UINT64_MAX;
    for (std::size_t between = low; between <= high; ++between)
      valley = std::min(valley, allocated_bytes(points[between]));
    const std::uint64_t bytes = allocated_bytes(points[index]);
    if (index == peak || bytes - valley < std::max<std::uint64_t>(1, facts.peak.allocated_bytes / 100))
      continue;
    found = true;
    highest = std::max(highest, bytes);
  }
  ASSERT_EQ(context.next_place.has_value(), found);
  if (found) {
    EXPECT_EQ(context.next_place->allocated_bytes, highest);
  }
  if (context.outside_phase) {
    EXPECT_LE(context.outside_phase->allocated_bytes, facts.peak.allocated_bytes);
  }
}

TEST(PeakContext, PropertiesOfRandomRuns) {
  for (std::uint32_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    const Facts facts = analyse(testing::random_run(seed));
    expect_places_by_definition(facts);

    CategoryBytes reached = facts.peak_context.begin_categories;
    for (const PeakChange& change : facts.peak_context.changes) {
      auto& bytes = reached[static_cast<std::size_t>(change.category)];
      bytes = bytes + change.born_bytes - change.freed_bytes;
    }
    EXPECT_EQ(reached, facts.peak.categories);
    for (const StepFact& step : facts.steps) {
      EXPECT_EQ(sum(step.peak_categories), step.peak_allocated_bytes);
      std::string phase;
      for (const PhaseFact& one : facts.phases)
        if (one.begin_sequence <= step.peak_sequence && step.peak_sequence < one.end_sequence)
          phase = one.name;
      EXPECT_EQ(step.peak_phase == 0 ? "" : facts.phases[step.peak_phase - 1].name, phase);
      if (step.index == facts.peak.step) {
        EXPECT_EQ(step.peak_categories, facts.peak.categories);
      }
    }
  }
}

TEST(PeakContext, OfATrainingRunKilledAtAnyEvent) {
  const Recording whole = testing::make_training_run({.steps = 2, .layers = 1}).recording;
  for (std::uint64_t sequence = 0; sequence <= whole.memory.back().sequence; ++sequence)
    expect_places_by_definition(analyse(testing::killed_after(whole, sequence)));
}

}  // namespace
}  // namespace strata::analysis
