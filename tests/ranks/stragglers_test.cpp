// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/ranks/stragglers.hpp"

#include <gtest/gtest.h>

#include <string_view>

#include "host/analysis/ranks/waits.hpp"
#include "tests/ranks/job_of_ranks.hpp"

namespace strata::analysis {
namespace {

using testing::job_of_ranks;
using testing::kMs;
using testing::move_to_machine;

Stragglers compared(std::vector<RankFacts> ranks) {
  find_waits(ranks, RankClocks(ranks));
  return find_stragglers(ranks);
}

TEST(Stragglers, NoneWhereAllAreAsFast) {
  const Stragglers found = compared(job_of_ranks());
  EXPECT_TRUE(found.ranks.empty());
  EXPECT_EQ(found.steps.size(), 5u);
}

TEST(Stragglers, TheOneThatOthersWaitForWithItsPhaseAndItsTime) {
  const Stragglers found =
      compared(job_of_ranks({.planted_ns = [](std::size_t rank, std::int64_t step, std::string_view phase) {
        return rank == 2 && step >= 1 && step <= 3 && phase == "forward" ? 7 * kMs : std::int64_t{0};
      }}));
  ASSERT_EQ(found.ranks.size(), 1u);
  const Straggler& straggler = found.ranks.front();
  EXPECT_EQ(straggler.rank, 2u);
  EXPECT_EQ(straggler.steps, (std::vector<std::int64_t>{1, 2, 3}));
  EXPECT_EQ(straggler.median_ns, 7 * kMs);
  EXPECT_EQ(straggler.total_ns, 21 * kMs);
  ASSERT_EQ(straggler.phases.size(), 1u);
  EXPECT_EQ(straggler.phases.front().name, "forward");
  EXPECT_EQ(straggler.phases.front().total_ns, 21 * kMs);
  EXPECT_EQ(found.waits_ns[0], 7 * kMs);
  EXPECT_EQ(found.waits_ns[2], 0);
}

// Its backward ends at the same time as the others', and yet it is the slow rank.
TEST(Stragglers, OneThatIsSlowInBackwardItself) {
  const Stragglers found = compared(
      job_of_ranks({.ranks = 2, .planted_ns = [](std::size_t rank, std::int64_t, std::string_view phase) {
                      return rank == 1 && phase == "backward" ? 5 * kMs : std::int64_t{0};
                    }}));
  ASSERT_EQ(found.ranks.size(), 1u);
  EXPECT_EQ(found.ranks.front().rank, 1u);
  EXPECT_EQ(found.ranks.front().phases.front().name, "backward");
  EXPECT_EQ(found.ranks.front().median_ns, 5 * kMs);
}

TEST(Stragglers, TimeBetweenPhasesCounts) {
  std::vector<RankFacts> ranks = job_of_ranks();
  for (RankStep& step : ranks[3].steps) step.end_ns += 4 * kMs;
  const Stragglers found = compared(ranks);
  ASSERT_EQ(found.ranks.size(), 1u);
  EXPECT_EQ(found.ranks.front().rank, 3u);
  EXPECT_EQ(found.ranks.front().phases.front().name, "");
}

// Between its last gradient and its optimizer, while the others have continued.
TEST(Stragglers, WhoIsBusyAfterTheAveragingIsSlow) {
  std::vector<RankFacts> ranks = job_of_ranks();
  for (RankStep& step : ranks[1].steps) {
    step.phases[3].begin_ns += 4 * kMs;
    step.phases[3].end_ns += 4 * kMs;
    step.backward_end->goes_on_ns += 4 * kMs;
    step.end_ns += 4 * kMs;
  }
  const Stragglers found = compared(ranks);
  ASSERT_EQ(found.ranks.size(), 1u);
  EXPECT_EQ(found.ranks.front().rank, 1u);
  EXPECT_EQ(found.ranks.front().median_ns, 4 * kMs);
}

// Three ranks: the middle one is slow, and the last two are on a machine whose wall clock is wrong by the
// test's parameter. Nothing bounds the error: hosts do not wait while CUDA devices average.
class StragglersOnMachines : public ::testing::TestWithParam<std::int64_t> {};

TEST_P(StragglersOnMachines, AreFoundWhateverTheWallClocksSay) {
  std::vector<RankFacts> ranks =
      job_of_ranks({.ranks = 3, .planted_ns = [](std::size_t rank, std::int64_t, std::string_view phase) {
                      return rank == 1 && phase == "forward" ? 300 * kMs : std::int64_t{0};
                    }});
  for (RankFacts& rank : ranks) rank.device = "cuda:0";
  for (const std::size_t rank : {1u, 2u}) move_to_machine(ranks[rank], "node-b", 77'000 * kMs, GetParam());
  const Stragglers found = compared(ranks);
  ASSERT_EQ(found.ranks.size(), 1u);
  EXPECT_EQ(found.ranks.front().rank, 1u);
  EXPECT_EQ(found.ranks.front().median_ns, 300 * kMs);
  EXPECT_EQ(found.waits_ns, (std::vector<std::int64_t>{300 * kMs, 0, 300 * kMs}));
}

INSTANTIATE_TEST_SUITE_P(WallClocks, StragglersOnMachines, ::testing::Values(0, 400 * kMs, -2000 * kMs));

// Clocks of other machines help within their uncertainty: 4 ms, from the first step.
TEST(Stragglers, WhoIsBusyAfterTheAveragingIsSlowOnAMachineOfItsOwnToo) {
  std::vector<RankFacts> ranks = job_of_ranks();
  for (RankStep& step : ranks[1].steps) {
    if (step.index == 0) continue;
    step.phases[3].begin_ns += 40 * kMs;
    step.phases[3].end_ns += 40 * kMs;
    step.backward_end->goes_on_ns += 40 * kMs;
    step.end_ns += 40 * kMs;
  }
  move_to_machine(ranks[1], "node-b", 77'000 * kMs, 0);
  const Stragglers found = compared(ranks);
  ASSERT_EQ(found.ranks.size(), 1u);
  EXPECT_EQ(found.ranks.front().rank, 1u);
  EXPECT_EQ(found.ranks.front().median_ns, 36 * kMs);
}

// Every rank's steps take `step_ns`, and rank 1 needs `more_ns` longer for its data.
bool is_slow(std::int64_t step_ns, std::int64_t more_ns) {
  return !compared(job_of_ranks({.planted_ns = [&](std::size_t rank, std::int64_t, std::string_view phase) {
            if (phase == "forward") return step_ns - 10 * kMs;
            return rank == 1 && phase == "data" ? more_ns : std::int64_t{0};
          }})).ranks.empty();
}

TEST(Stragglers, LessThanATenthOfAStepIsNobody) {
  // The others wait for it, so every step is longer by that time.
  EXPECT_FALSE(is_slow(90 * kMs, 10 * kMs - 100));
  EXPECT_TRUE(is_slow(90 * kMs, 10 * kMs + 100));
}

TEST(Stragglers, LessThanAMillisecondIsNobody) {
  EXPECT_FALSE(is_slow(8 * kMs, kMs - 100));
  EXPECT_TRUE(is_slow(8 * kMs, kMs + 100));
}

TEST(Stragglers, StepsThatOneRankAloneHasAreNotCompared) {
  std::vector<RankFacts> ranks = job_of_ranks({.ranks = 2});
  ranks[1].steps.resize(2);
  EXPECT_EQ(find_stragglers(ranks).steps.size(), 2u);
  EXPECT_TRUE(find_stragglers({}).steps.empty());
}

}  // namespace
}  // namespace strata::analysis
