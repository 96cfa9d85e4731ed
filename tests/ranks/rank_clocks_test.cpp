// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/ranks/rank_clocks.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string_view>

#include "tests/ranks/job_of_ranks.hpp"

namespace strata::analysis {
namespace {

using testing::job_of_ranks;
using testing::kMs;
using testing::move_to_machine;

constexpr std::int64_t kBoot = 12'345'678 * kMs;

TEST(RankClocks, OneMachineHasOneClock) {
  const RankClocks clocks(job_of_ranks());
  ASSERT_EQ(clocks.clocks().size(), 1u);
  EXPECT_EQ(clocks.clocks().front().uncertainty_ns, 0);
  EXPECT_EQ(clocks.to_first(3, 123), 123);
}

TEST(RankClocks, TheHostsNameAndTheWallClockSayItWhereTheBootIsUnknown) {
  std::vector<RankFacts> ranks = job_of_ranks({.ranks = 2});
  for (RankFacts& rank : ranks) rank.clock.boot_id.clear();
  EXPECT_EQ(RankClocks(ranks).clocks().size(), 1u);
  ranks[1].clock.hostname = "node-b";
  EXPECT_EQ(RankClocks(ranks).clocks().size(), 2u);
}

// As in a container with a time namespace: the same boot, but another clock.
TEST(RankClocks, AClockThatIsSetApartIsAnother) {
  std::vector<RankFacts> ranks = job_of_ranks({.ranks = 2});
  move_to_machine(ranks[1], "node-a", kBoot, 0);
  ranks[1].clock.boot_id = ranks[0].clock.boot_id;
  EXPECT_EQ(RankClocks(ranks).clocks().size(), 2u);
}

TEST(RankClocks, WallClocksBringTwoMachinesTogether) {
  const std::vector<RankFacts> together = job_of_ranks();
  std::vector<RankFacts> ranks = together;
  for (const std::size_t rank : {2u, 3u}) move_to_machine(ranks[rank], "node-b", kBoot, kMs);
  const RankClocks clocks(ranks);
  ASSERT_EQ(clocks.clocks().size(), 2u);
  EXPECT_EQ(clocks.clocks()[1].ranks, (std::vector<std::size_t>{2, 3}));
  // Wrong by the wall clock's millisecond, with an uncertainty no smaller than a backward.
  EXPECT_EQ(clocks.to_first(2, ranks[2].steps[0].begin_ns), together[2].steps[0].begin_ns + kMs);
  ASSERT_TRUE(clocks.clocks()[1].uncertainty_ns.has_value());
  EXPECT_EQ(*clocks.clocks()[1].uncertainty_ns, 5 * kMs);
  EXPECT_EQ(clocks.clocks()[1].wall_clocks_apart_ns, 0);
  EXPECT_EQ(clocks.clocks()[1].correction_ns, 0);
  EXPECT_EQ(clocks.clocks()[0].placed_by, PlacedBy::kSelf);
  EXPECT_EQ(clocks.clocks()[1].placed_by, PlacedBy::kWallClocks);
}

TEST(RankClocks, AWallClockThatStepsContradictIsMoved) {
  const std::vector<RankFacts> together = job_of_ranks();
  std::vector<RankFacts> ranks = together;
  move_to_machine(ranks[3], "node-b", kBoot, 250 * kMs);
  const RankClocks clocks(ranks);
  const JobClock& other = clocks.clocks().at(1);
  EXPECT_EQ(other.wall_clocks_apart_ns, 246 * kMs) << "250 ms less a backward";
  EXPECT_EQ(other.correction_ns, -250 * kMs);
  EXPECT_EQ(other.placed_by, PlacedBy::kAveraging);
  const std::int64_t error = clocks.to_first(3, ranks[3].steps[2].begin_ns) - together[3].steps[2].begin_ns;
  EXPECT_LE(std::abs(error), other.uncertainty_ns.value());
}

TEST(RankClocks, ASlewedWallClockIsFollowed) {
  std::vector<RankFacts> ranks = job_of_ranks({.ranks = 2, .steps = 0});
  move_to_machine(ranks[1], "node-b", kBoot, 0);
  const ClockPair first = ranks[1].clock.pairs.front();
  // 10 ms in 100 s.
  ranks[1].clock.pairs.push_back({first.monotonic_ns + 100'000 * kMs, first.realtime_ns + 100'010 * kMs});
  const RankClocks clocks(ranks);
  EXPECT_EQ(clocks.to_first(1, first.monotonic_ns + 50'000 * kMs) - clocks.to_first(1, first.monotonic_ns),
            50'005 * kMs);
  EXPECT_FALSE(clocks.clocks()[1].uncertainty_ns.has_value()) << "no step says how far they are apart";
}

TEST(RankClocks, RanksThatDoNotWaitForEachOtherBoundNothing) {
  std::vector<RankFacts> ranks =
      job_of_ranks({.ranks = 2, .planted_ns = [](std::size_t, std::int64_t, std::string_view) {
                      return std::int64_t{0};
                    }});
  move_to_machine(ranks[1], "node-b", kBoot, 0);
  // Each backward is further apart.
  for (RankStep& step : ranks[1].steps) {
    for (RankPhase& phase : step.phases) {
      phase.begin_ns += step.index * 20 * kMs;
      phase.end_ns += step.index * 20 * kMs;
    }
  }
  const RankClocks clocks(ranks);
  EXPECT_FALSE(clocks.clocks()[1].uncertainty_ns.has_value());
  EXPECT_EQ(clocks.clocks()[1].correction_ns, 0);
}

// Only the wall clocks place it: its steps do not move it.
void expect_wall_clocks_alone(const std::vector<RankFacts>& ranks, Averaging averaging) {
  const RankClocks clocks(ranks);
  EXPECT_EQ(clocks.averaging(), averaging);
  ASSERT_EQ(clocks.clocks().size(), 2u);
  EXPECT_EQ(clocks.clocks()[1].placed_by, PlacedBy::kWallClocks);
  EXPECT_EQ(clocks.clocks()[1].correction_ns, 0);
  EXPECT_FALSE(clocks.clocks()[1].uncertainty_ns.has_value());
}

// Its host has launched the averaging and is in its next step before the other begins its backward.
TEST(RankClocks, HostsThatLeaveTheAveragingToADeviceBoundNothing) {
  std::vector<RankFacts> ranks = job_of_ranks({.ranks = 2});
  move_to_machine(ranks[1], "node-b", kBoot, 40 * kMs);
  EXPECT_EQ(RankClocks(ranks).clocks()[1].placed_by, PlacedBy::kAveraging) << "on the CPU they do";
  for (RankFacts& rank : ranks) rank.device = "cuda:0";
  expect_wall_clocks_alone(ranks, Averaging::kOnDevices);
}

// The last stage has the loss and begins backward first; each stage averages with its own replicas.
TEST(RankClocks, StagesOfAPipelineBoundNothing) {
  std::vector<RankFacts> ranks = job_of_ranks({.ranks = 4});
  for (const std::size_t rank : {2u, 3u}) move_to_machine(ranks[rank], "node-b", kBoot, 40 * kMs);
  for (const std::size_t rank : {0u, 1u}) ranks[rank].backward_operators = {"AddmmBackward0"};
  expect_wall_clocks_alone(ranks, Averaging::kNotShown);
  ranks = job_of_ranks({.ranks = 4});
  for (const std::size_t rank : {2u, 3u}) move_to_machine(ranks[rank], "node-b", kBoot, 40 * kMs);
  for (const std::size_t rank : {0u, 1u}) ranks[rank].bucket_bytes = {3 * testing::kMiB};
  expect_wall_clocks_alone(ranks, Averaging::kNotShown);
}

TEST(RankClocks, RanksWithoutBucketsBoundNothing) {
  std::vector<RankFacts> ranks = job_of_ranks({.ranks = 2});
  move_to_machine(ranks[1], "node-b", kBoot, 40 * kMs);
  for (RankFacts& rank : ranks) rank.bucket_bytes.clear();
  expect_wall_clocks_alone(ranks, Averaging::kNotShown);
}

// A missing rank may be the stage that would reveal a pipeline.
TEST(RankClocks, RanksOfAJobThatIsNotWholeBoundNothing) {
  std::vector<RankFacts> ranks = job_of_ranks({.ranks = 3});
  move_to_machine(ranks[1], "node-b", kBoot, 40 * kMs);
  ranks.pop_back();
  expect_wall_clocks_alone(ranks, Averaging::kNotShown);
}

TEST(RankClocks, WithoutWallClocksAndAveragingNothingPlacesARank) {
  std::vector<RankFacts> ranks = job_of_ranks({.ranks = 2});
  move_to_machine(ranks[1], "node-b", kBoot, 0);
  for (RankFacts& rank : ranks) {
    rank.clock.pairs.clear();
    rank.device = "cuda:0";
  }
  EXPECT_EQ(RankClocks(ranks).clocks()[1].placed_by, PlacedBy::kNothing);
}

TEST(RankClocks, WithoutWallClocksTheStepsPlaceARank) {
  const std::vector<RankFacts> together = job_of_ranks({.ranks = 2});
  std::vector<RankFacts> ranks = together;
  move_to_machine(ranks[1], "node-b", kBoot, 0);
  for (RankFacts& rank : ranks) rank.clock.pairs.clear();
  const RankClocks clocks(ranks);
  EXPECT_EQ(clocks.clocks()[1].placed_by, PlacedBy::kAveraging);
  ASSERT_TRUE(clocks.clocks()[1].uncertainty_ns.has_value());
  const std::int64_t error = clocks.to_first(1, ranks[1].steps[0].begin_ns) - together[1].steps[0].begin_ns;
  EXPECT_LE(std::abs(error), *clocks.clocks()[1].uncertainty_ns);
}

}  // namespace
}  // namespace strata::analysis
