// SPDX-License-Identifier: Apache-2.0
// Synthetic series whose course is known; no clock is read.
#include "host/analysis/warm_up/steady_state.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

namespace strata::analysis {
namespace {

constexpr double kStepNs = 10e6;
constexpr int kRounds = 30, kEnough = 28;

// `shape` gives the duration of a step as a multiple of a steady step.
std::vector<TimedStep> series(std::size_t count, std::uint64_t seed,
                              const std::function<double(std::size_t)>& shape, double noise = 0.01) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal(0.0, noise);
  std::vector<TimedStep> steps;
  for (std::size_t step = 0; step < count; ++step)
    steps.push_back({static_cast<std::int64_t>(step), kStepNs * shape(step) * (1.0 + normal(random))});
  return steps;
}

// For how many of thirty series, each with its own seed, the known start is found.
int count_right(const std::function<std::vector<TimedStep>(std::uint64_t)>& make,
                const std::function<bool(const SteadyState&)>& is_right) {
  int right = 0;
  for (std::uint64_t seed = 1; seed <= kRounds; ++seed) right += is_right(find_steady_state(make(seed)));
  return right;
}

bool warms_up_in(const SteadyState& state, std::uint64_t least, std::uint64_t most) {
  return state.course == Course::kWarmUp && state.warm_up_steps >= least && state.warm_up_steps <= most;
}

TEST(SteadyState, FlatSeriesAreFlat) {
  const auto make = [](std::uint64_t seed) { return series(200, seed, [](std::size_t) { return 1.0; }); };
  EXPECT_GE(count_right(make, [](const SteadyState& state) { return state.course == Course::kFlat; }),
            kEnough);
}

TEST(SteadyState, AStairEndsWhereItEnds) {
  const auto make = [](std::uint64_t seed) {
    return series(200, seed, [](std::size_t step) { return step < 20 ? 1.5 : 1.0; });
  };
  EXPECT_GE(count_right(make, [](const SteadyState& state) { return warms_up_in(state, 20, 20); }), kEnough);
}

TEST(SteadyState, ASlowDownIsNoWarmUp) {
  const auto make = [](std::uint64_t seed) {
    return series(200, seed, [](std::size_t step) { return step < 60 ? 1.0 : 1.2; });
  };
  EXPECT_GE(count_right(make,
                        [](const SteadyState& state) {
                          return state.course == Course::kSlowDown && state.first_step >= 59 &&
                                 state.first_step <= 61 && state.excess_ns < 0.0;
                        }),
            kEnough);
}

TEST(SteadyState, SpikesAreNoChangeOfLevel) {
  const auto make = [](std::uint64_t seed) {
    std::mt19937_64 random(seed + 1000);
    return series(200, seed, [&](std::size_t) { return random() % 20 == 0 ? 1.5 : 1.0; });
  };
  EXPECT_GE(count_right(make,
                        [](const SteadyState& state) {
                          // A spike in the very first steps counts as a slow first step.
                          return state.first_step && state.warm_up_steps <= 3 &&
                                 state.course != Course::kSlowDown;
                        }),
            kEnough);
}

TEST(SteadyState, StepsThatAlternateHaveNone) {
  const auto make = [](std::uint64_t seed) {
    return series(200, seed, [](std::size_t step) { return step / 15 % 2 == 0 ? 1.0 : 1.3; });
  };
  EXPECT_GE(count_right(make, [](const SteadyState& state) { return state.course == Course::kNone; }),
            kEnough);
}

TEST(SteadyState, StepsThatBecomeEverSlowerHaveNone) {
  const auto make = [](std::uint64_t seed) {
    return series(200, seed, [](std::size_t step) { return 1.0 + 0.01 * static_cast<double>(step); });
  };
  EXPECT_GE(count_right(make, [](const SteadyState& state) { return state.course == Course::kNone; }),
            kEnough);
}

TEST(SteadyState, OfSlowFirstStepsTheRestIsSteady) {
  const auto make = [](std::uint64_t seed) {
    return series(200, seed, [](std::size_t step) { return step == 0 ? 20.0 : step == 1 ? 1.6 : 1.0; });
  };
  EXPECT_GE(count_right(make, [](const SteadyState& state) { return warms_up_in(state, 2, 2); }), kEnough);
}

TEST(SteadyState, ADecayIsOverWhenItHardlyShows) {
  const auto make = [](std::uint64_t seed) {
    return series(200, seed,
                  [](std::size_t step) { return 1.0 + 2.0 * std::exp(-static_cast<double>(step) / 5.0); });
  };
  // At step 18 the excess is a twentieth of a step's time, at step 30 half a hundredth.
  EXPECT_GE(count_right(make, [](const SteadyState& state) { return warms_up_in(state, 18, 30); }), kEnough);
}

TEST(SteadyState, ManyStepsAreLookedAtInTime) {
  const auto steps = series(100'000, 3, [](std::size_t step) { return step < 150 ? 1.4 : 1.0; });
  const SteadyState state = find_steady_state(steps);
  EXPECT_EQ(state.course, Course::kWarmUp);
  EXPECT_EQ(state.first_step, 150);
  EXPECT_EQ(state.steps, 100'000u);
}

TEST(SteadyState, WithFewStepsTheFirstIsComparedWithTheRest) {
  const auto steps = series(
      kFewestSteps - 1, 1, [](std::size_t step) { return step == 0 ? 7.0 : 1.0; }, 0.0);
  const SteadyState state = find_steady_state(steps);
  EXPECT_EQ(state.course, Course::kNotYet);
  EXPECT_FALSE(state.first_step.has_value());
  ASSERT_TRUE(state.first_over_median.has_value());
  EXPECT_NEAR(*state.first_over_median, 7.0, 1e-9);
  EXPECT_TRUE(state.segments.empty());
}

TEST(SteadyState, LongStepsInBetweenAreCounted) {
  const SteadyState state =
      find_steady_state(series(200, 1, [](std::size_t step) { return step % 7 == 6 ? 10.0 : 1.0; }));
  ASSERT_TRUE(state.first_step.has_value());
  EXPECT_EQ(state.over_twice, 28u);
  ASSERT_TRUE(state.longest.has_value());
  EXPECT_EQ(state.longest->step % 7, 6);
  EXPECT_NEAR(state.longest->ns / *state.median_ns, 10.0, 0.5);
  EXPECT_LE(state.unusual_ns, 2.0 * *state.median_ns);
}

TEST(SteadyState, OfNoStepOrOneNothingIsSaid) {
  EXPECT_EQ(find_steady_state({}).course, Course::kNotYet);
  const std::vector<TimedStep> one{{0, 5.0}};
  EXPECT_FALSE(find_steady_state(one).median_ns.has_value());
}

TEST(SteadyState, TellsTheTimeOverTheMedianAndItsInterval) {
  const auto steps = series(100, 5, [](std::size_t step) { return step == 0 ? 11.0 : 1.0; });
  const SteadyState state = find_steady_state(steps);
  ASSERT_TRUE(state.median_ns && state.mean_steady_ns);
  EXPECT_EQ(state.warm_up_steps, 1u);
  EXPECT_NEAR(state.excess_ns, 10 * kStepNs, 0.5 * kStepNs);
  EXPECT_LE(state.median_low_ns, *state.median_ns);
  EXPECT_GE(state.median_high_ns, *state.median_ns);
  EXPECT_NEAR(state.median_high_ns, state.median_low_ns, 0.01 * kStepNs);
  EXPECT_NEAR(state.mean_all_ns, 1.1 * kStepNs, 0.02 * kStepNs);
  EXPECT_NEAR(*state.mean_steady_ns, kStepNs, 0.01 * kStepNs);
}

TEST(SteadyState, EqualStepsAreFlat) {
  const SteadyState state = find_steady_state(series(
      50, 1, [](std::size_t) { return 1.0; }, 0.0));
  EXPECT_EQ(state.course, Course::kFlat);
  EXPECT_EQ(state.first_step, 0);
}

}  // namespace
}  // namespace strata::analysis
